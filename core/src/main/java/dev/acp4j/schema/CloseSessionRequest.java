package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Asks the agent to stop what a session is doing and to free what it holds. The session can be loaded again if the
 * agent keeps it. Only for agents with {@link SessionCapabilities#close()}.
 *
 * @param sessionId the session
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public CloseSessionRequest withMeta(Meta meta) {
        return new CloseSessionRequest(sessionId, rest.withMeta(meta));
    }
}
