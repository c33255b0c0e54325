package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Tells the client something new about a session.
 *
 * @param sessionId the session
 * @param update what is new
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public SessionNotification withMeta(Meta meta) {
        return new SessionNotification(sessionId, update, rest.withMeta(meta));
    }
}
