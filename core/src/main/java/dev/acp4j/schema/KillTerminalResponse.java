package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Says that the command has been told to end.
 *
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public KillTerminalResponse withMeta(Meta meta) {
        return new KillTerminalResponse(rest.withMeta(meta));
    }
}
