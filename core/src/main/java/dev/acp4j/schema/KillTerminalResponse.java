package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the command has been told to end.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#killing-commands">Killing commands</a>
 */
@Codable
public record KillTerminalResponse(Meta meta) {
    @Evolving
    public KillTerminalResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static KillTerminalResponse of() {
        return new KillTerminalResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public KillTerminalResponse withMeta(Meta meta) {
        return new KillTerminalResponse(meta);
    }
}
