package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the session is off the list.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete">Session delete</a>
 */
@Codable
public record DeleteSessionResponse(Meta meta) {
    @Evolving
    public DeleteSessionResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static DeleteSessionResponse of() {
        return new DeleteSessionResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public DeleteSessionResponse withMeta(Meta meta) {
        return new DeleteSessionResponse(meta);
    }
}
