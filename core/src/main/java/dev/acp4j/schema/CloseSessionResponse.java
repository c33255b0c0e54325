package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the session has been closed.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#closing-a-session">Closing a session</a>
 */
@Codable
public record CloseSessionResponse(Meta meta) {
    @Evolving
    public CloseSessionResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static CloseSessionResponse of() {
        return new CloseSessionResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public CloseSessionResponse withMeta(Meta meta) {
        return new CloseSessionResponse(meta);
    }
}
