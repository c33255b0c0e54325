package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a command ended: with an exit code or by a signal.
 *
 * @param exitCode the exit code, or null if there is none; version 1 has unsigned numbers of 32 bits only
 * @param signal the name of the signal that ended it, or null if none did
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#getting-output">Getting output</a>
 */
@Codable
public record TerminalExitStatus(
        @DefaultOnError @Range(max = Range.UINT32, only = 1) @Nullable
        Long exitCode,

        @DefaultOnError @Nullable String signal,
        Rest rest)
        implements Extensible {
    @Evolving
    public TerminalExitStatus {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an empty status. */
    public static TerminalExitStatusBuilder builder() {
        return new TerminalExitStatusBuilder();
    }

    /**
     * Returns the status of a process that ended by itself; a negative code, as on Windows, becomes the unsigned one.
     */
    public static TerminalExitStatus exited(int exitCode) {
        return new TerminalExitStatus(Integer.toUnsignedLong(exitCode), null, Rest.NONE);
    }

    /** Returns the status of a process that a signal ended. */
    public static TerminalExitStatus killed(String signal) {
        return new TerminalExitStatus(null, signal, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public TerminalExitStatusBuilder toBuilder() {
        return new TerminalExitStatusBuilder(this);
    }
}
