package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks for suggestions.
 *
 * @param sessionId the session
 * @param uri the document with the cursor
 * @param version its version
 * @param position the cursor
 * @param selection what is selected, or null for nothing
 * @param triggerKind the reason
 * @param context what the agent asked to know
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record SuggestNesRequest(
        SessionId sessionId,
        String uri,
        long version,
        Position position,
        @Nullable Range selection,
        TriggerKind triggerKind,
        @DefaultTo("NONE") @DefaultOnError SuggestContext context,
        Rest rest)
        implements Extensible {
    public SuggestNesRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(uri, "uri is null");
        Objects.requireNonNull(position, "position is null");
        Objects.requireNonNull(triggerKind, "triggerKind is null");
        Objects.requireNonNull(context, "context is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SuggestNesRequestBuilder builder(
            SessionId sessionId, String uri, long version, Position position, TriggerKind triggerKind) {
        return new SuggestNesRequestBuilder(sessionId, uri, version, position, triggerKind);
    }

    /** Returns a builder initialized from this record. */
    public SuggestNesRequestBuilder toBuilder() {
        return new SuggestNesRequestBuilder(this);
    }
}
