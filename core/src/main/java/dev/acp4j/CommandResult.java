package dev.acp4j;

import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalOutputResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a command ended that an agent ran with {@link SessionWriter#run}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
 */
public final class CommandResult {
    private final TerminalOutputResponse output;
    private final TerminalExitStatus exit;

    CommandResult(TerminalOutputResponse output, TerminalExitStatus exit) {
        this.output = output;
        this.exit = exit;
    }

    /** Returns what the command wrote to both of its outputs, as much of its end as the client kept. */
    public String output() {
        return output.output();
    }

    /** Returns whether the client kept only the end of the output. */
    public boolean isTruncated() {
        return output.truncated();
    }

    /** Returns the exit code; null when a signal ended the command. */
    public @Nullable Long exitCode() {
        return exit.exitCode();
    }

    /** Returns the signal that ended the command, for example {@code SIGTERM}; null when none did. */
    public @Nullable String signal() {
        return exit.signal();
    }

    /** Returns whether the command ended with 0. */
    public boolean hasSucceeded() {
        return Objects.equals(exit.exitCode(), 0L);
    }

    /** Returns how the command ended, without its output. */
    @Override
    public String toString() {
        return exit.signal() == null ? "exit code " + exit.exitCode() : "signal " + exit.signal();
    }
}
