package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests that the agent cancel the work of a session and release its resources. The session can be loaded again if
 * the agent stores it. Only for agents with {@link SessionCapabilities#close()}.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions">Closing active
 *     sessions</a>
 */
@Codable
public record CloseSessionRequest(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public CloseSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static CloseSessionRequest of(SessionId sessionId) {
        return new CloseSessionRequest(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CloseSessionRequest withMeta(Meta meta) {
        return new CloseSessionRequest(sessionId, rest.withMeta(meta));
    }
}
