package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the session has been removed from the list.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete">Session delete</a>
 */
@Codable
public record DeleteSessionResponse(Rest rest) implements Extensible {
    @Evolving
    public DeleteSessionResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static DeleteSessionResponse of() {
        return new DeleteSessionResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public DeleteSessionResponse withMeta(Meta meta) {
        return new DeleteSessionResponse(rest.withMeta(meta));
    }
}
