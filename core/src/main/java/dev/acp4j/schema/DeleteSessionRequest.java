package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests the removal of a session from the agent's list. A missing session counts as deleted. Only for agents with
 * {@link SessionCapabilities#delete()}.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete">Session delete</a>
 */
@Codable
public record DeleteSessionRequest(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public DeleteSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static DeleteSessionRequest of(SessionId sessionId) {
        return new DeleteSessionRequest(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public DeleteSessionRequest withMeta(Meta meta) {
        return new DeleteSessionRequest(sessionId, rest.withMeta(meta));
    }
}
