package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Sends an update of a session to the client.
 *
 * @param sessionId the session
 * @param update the update
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#3-agent-reports-output">Agent reports
 *     output</a>
 */
@Codable
public record SessionNotification(SessionId sessionId, SessionUpdate update, Rest rest) implements Extensible {
    @Evolving
    public SessionNotification {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(update, "update is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static SessionNotification of(SessionId sessionId, SessionUpdate update) {
        return new SessionNotification(sessionId, update, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionNotification withMeta(Meta meta) {
        return new SessionNotification(sessionId, update, rest.withMeta(meta));
    }
}
