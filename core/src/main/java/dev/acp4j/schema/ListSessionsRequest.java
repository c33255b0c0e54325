package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Requests the agent's sessions, one page at a time. Only for agents with {@link SessionCapabilities#list()}.
 *
 * @param cwd lists only the sessions with this working directory, an absolute path; null lists all
 * @param cursor the start of the page, from {@link ListSessionsResponse#nextCursor()}; null for the first page
 * @param archived whether to list archived sessions, or null for not; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions">Listing sessions</a>
 */
@Codable
public record ListSessionsRequest(
        @Nullable String cwd,
        @Nullable String cursor,
        @Unstable @Draft @Nullable SessionArchiveFilter archived,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public ListSessionsRequest {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of a request for the first page of all sessions. */
    public static ListSessionsRequestBuilder builder() {
        return new ListSessionsRequestBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ListSessionsRequestBuilder toBuilder() {
        return new ListSessionsRequestBuilder(this);
    }
}
