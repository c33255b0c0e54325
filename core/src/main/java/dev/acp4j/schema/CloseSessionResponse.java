package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the session has been closed.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#closing-a-session">Closing a session</a>
 */
@Codable
public record CloseSessionResponse(Rest rest) implements Extensible {
    @Evolving
    public CloseSessionResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static CloseSessionResponse of() {
        return new CloseSessionResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CloseSessionResponse withMeta(Meta meta) {
        return new CloseSessionResponse(rest.withMeta(meta));
    }
}
