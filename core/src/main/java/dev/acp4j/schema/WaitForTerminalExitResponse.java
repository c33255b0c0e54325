package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports how a command ended: with an exit code or by a signal.
 *
 * @param exitCode the exit code, an unsigned number of 32 bits, or null if there is none
 * @param signal the name of the signal that ended it, or null if none did
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#waiting-for-exit">Waiting for exit</a>
 */
@Codable
@Rejecting
public record WaitForTerminalExitResponse(
        @DefaultOnError @Range(max = Range.UINT32) @Nullable Long exitCode,
        @DefaultOnError @Nullable String signal,
        Rest rest)
        implements Extensible {
    @Evolving
    public WaitForTerminalExitResponse {
        Objects.requireNonNull(rest, "rest is null");
        Bounds.uint32("exitCode", exitCode);
    }

    /** Returns a builder of an empty response. */
    public static WaitForTerminalExitResponseBuilder builder() {
        return new WaitForTerminalExitResponseBuilder();
    }

    /** Returns the response with this status. */
    public static WaitForTerminalExitResponse of(TerminalExitStatus status) {
        return new WaitForTerminalExitResponse(status.exitCode(), status.signal(), Rest.NONE);
    }

    /** Returns how the command ended. */
    public TerminalExitStatus exitStatus() {
        return new TerminalExitStatus(exitCode, signal, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public WaitForTerminalExitResponseBuilder toBuilder() {
        return new WaitForTerminalExitResponseBuilder(this);
    }
}
