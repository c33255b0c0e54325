package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Cancels the turn of a session. The turn ends as usual, with the response to its prompt, with reason
 * {@link StopReason#CANCELLED}; updates may still precede it.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
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

    /** Returns a copy with other extension data. */
    public CancelNotification withMeta(Meta meta) {
        return new CancelNotification(sessionId, rest.withMeta(meta));
    }
}
