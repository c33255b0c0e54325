package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the terminal has been freed.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals#releasing-terminals">Releasing terminals</a>
 */
@Codable
public record ReleaseTerminalResponse(Meta meta) {
    @Evolving
    public ReleaseTerminalResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static ReleaseTerminalResponse of() {
        return new ReleaseTerminalResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public ReleaseTerminalResponse withMeta(Meta meta) {
        return new ReleaseTerminalResponse(meta);
    }
}
