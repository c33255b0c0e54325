package dev.acp4j.process;

import java.io.IOException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A process could not be started, ended with an error, or had to be ended while its transport was open. The message
 * says in one line what happened and, if nothing was started, what to do.
 */
public final class LaunchException extends IOException {
    private static final long serialVersionUID = 1L;

    private final transient @Nullable ExitStatus exit;
    private final String stderr;

    LaunchException(String message) {
        this(message, null, "", null);
    }

    LaunchException(String message, Throwable cause) {
        this(message, null, "", cause);
    }

    LaunchException(String message, @Nullable ExitStatus exit, String stderr, @Nullable Throwable cause) {
        super(message, cause);
        this.exit = exit;
        this.stderr = stderr;
    }

    /** Returns the exit status of the process, or empty if none was started. */
    public Optional<ExitStatus> exit() {
        return Optional.ofNullable(exit);
    }

    /** Returns the end of the standard error of the process, up to 64 KiB, without secrets of its environment. */
    public String stderr() {
        return stderr;
    }
}
