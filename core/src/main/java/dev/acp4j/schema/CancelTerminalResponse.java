package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Confirms that the agent has accepted the cancellation. A {@link TerminalUpdate} reports the end of the terminal.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-terminals">Cancelling terminals</a>
 */
@Codable
@In(2)
@Unstable
public record CancelTerminalResponse(Rest rest) implements Extensible {
    @Evolving
    public CancelTerminalResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static CancelTerminalResponse of() {
        return new CancelTerminalResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CancelTerminalResponse withMeta(Meta meta) {
        return new CancelTerminalResponse(rest.withMeta(meta));
    }
}
