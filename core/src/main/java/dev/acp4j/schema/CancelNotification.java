package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Tells the agent to stop the turn of a session. The turn ends as always, with the answer to its prompt, for the reason
 * {@link StopReason#CANCELLED}; updates may still come before it.
 *
 * @param sessionId the session
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation">Cancellation</a>
 */
@Codable
public record CancelNotification(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public CancelNotification {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static CancelNotification of(SessionId sessionId) {
        return new CancelNotification(sessionId, Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public CancelNotification withMeta(Meta meta) {
        return new CancelNotification(sessionId, rest.withMeta(meta));
    }
}
