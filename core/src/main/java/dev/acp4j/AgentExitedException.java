package dev.acp4j;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An agent's process ended with an error, or had to be ended, while the connection was open. */
public final class AgentExitedException extends IOException {
    private static final long serialVersionUID = 1L;

    private final int code;
    private final String stderr;

    AgentExitedException(String message, ExitStatus exit, String stderr, @Nullable Throwable cause) {
        super(message, cause);
        this.code = exit.code();
        this.stderr = stderr;
    }

    /** Returns how the process ended. */
    public ExitStatus exit() {
        return new ExitStatus(code);
    }

    /** Returns what the process wrote last to its standard error, up to 64 KiB, without secrets of its environment. */
    public String stderr() {
        return stderr;
    }
}
