package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the terminal has been released.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#releasing-terminals">Releasing terminals</a>
 */
@Codable
public record ReleaseTerminalResponse(Rest rest) implements Extensible {
    @Evolving
    public ReleaseTerminalResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static ReleaseTerminalResponse of() {
        return new ReleaseTerminalResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ReleaseTerminalResponse withMeta(Meta meta) {
        return new ReleaseTerminalResponse(rest.withMeta(meta));
    }
}
