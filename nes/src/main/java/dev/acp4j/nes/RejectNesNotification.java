package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Reports that a suggestion was not accepted.
 *
 * @param sessionId the session
 * @param id the suggestion
 * @param reason why, or null if unknown
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record RejectNesNotification(
        SessionId sessionId, SuggestionId id, @Nullable RejectReason reason, Rest rest) implements Extensible {
    public RejectNesNotification {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(id, "id is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static RejectNesNotification of(SessionId sessionId, SuggestionId id, @Nullable RejectReason reason) {
        return new RejectNesNotification(sessionId, id, reason, Rest.NONE);
    }
}
