package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One page of sessions.
 *
 * @param sessions the sessions, possibly none
 * @param nextCursor where the next page begins, to be sent back as it is, or null after the last page
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#pagination">Pagination</a>
 */
@Codable
public record ListSessionsResponse(
        @DefaultOnError @SkipInvalidItems List<SessionInfo> sessions,
        @DefaultOnError @Nullable String nextCursor,
        Rest rest)
        implements Extensible {
    @Evolving
    public ListSessionsResponse {
        sessions = List.copyOf(sessions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a page that is the last one, unless a cursor is set. */
    public static ListSessionsResponseBuilder builder(List<SessionInfo> sessions) {
        return new ListSessionsResponseBuilder(sessions);
    }

    /** Returns a builder that starts from this. */
    public ListSessionsResponseBuilder toBuilder() {
        return new ListSessionsResponseBuilder(this);
    }
}
