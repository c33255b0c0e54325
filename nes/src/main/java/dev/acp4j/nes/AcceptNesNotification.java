package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Reports that the user has accepted a suggestion.
 *
 * @param sessionId the session
 * @param id the suggestion
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record AcceptNesNotification(SessionId sessionId, SuggestionId id, Rest rest) implements Extensible {
    public AcceptNesNotification {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(id, "id is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static AcceptNesNotification of(SessionId sessionId, SuggestionId id) {
        return new AcceptNesNotification(sessionId, id, Rest.NONE);
    }
}
