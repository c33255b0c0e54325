package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the command has been asked to end.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#killing-commands">Killing commands</a>
 */
@Codable
public record KillTerminalResponse(Rest rest) implements Extensible {
    @Evolving
    public KillTerminalResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static KillTerminalResponse of() {
        return new KillTerminalResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public KillTerminalResponse withMeta(Meta meta) {
        return new KillTerminalResponse(rest.withMeta(meta));
    }
}
