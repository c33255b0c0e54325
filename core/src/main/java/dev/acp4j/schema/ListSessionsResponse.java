package dev.acp4j.schema;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One page of sessions.
 *
 * @param sessions the sessions, possibly none
 * @param nextCursor where the next page begins, to be sent back as it is, or null after the last page
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#pagination">Pagination</a>
 */
@Codable
public record ListSessionsResponse(
        @DefaultOnError @SkipInvalidItems List<SessionInfo> sessions,
        @DefaultOnError @Nullable String nextCursor,
        Meta meta) {
    @Evolving
    public ListSessionsResponse {
        sessions = List.copyOf(sessions);
        Objects.requireNonNull(meta, "meta is null");
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
