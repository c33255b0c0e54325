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
 * @param nextCursor the start of the next page, to be sent back unchanged, or null after the last page
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#pagination">Pagination</a>
 */
@Codable
public record ListSessionsResponse(
        @DefaultOnError @SkipInvalidItems List<SessionInfo> sessions,
        @DefaultOnError(1) @Nullable String nextCursor,
        Rest rest)
        implements Extensible {
    @Evolving
    public ListSessionsResponse {
        sessions = List.copyOf(sessions);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a page, which is the last one unless a cursor is set. */
    public static ListSessionsResponseBuilder builder(List<SessionInfo> sessions) {
        return new ListSessionsResponseBuilder(sessions);
    }

    /** Returns a builder initialized from this record. */
    public ListSessionsResponseBuilder toBuilder() {
        return new ListSessionsResponseBuilder(this);
    }
}
