package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Asks the agent for the sessions it knows, one page at a time. Only for agents with
 * {@link SessionCapabilities#list()}.
 *
 * @param cwd lists only sessions that work in this directory, an absolute path; null lists all
 * @param cursor where to go on, from {@link ListSessionsResponse#nextCursor()}; null for the first page
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions">Listing sessions</a>
 */
@Codable
public record ListSessionsRequest(
        @Nullable String cwd, @Nullable String cursor, Rest rest) implements Extensible {
    @Evolving
    public ListSessionsRequest {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a request for the first page of all sessions. */
    public static ListSessionsRequestBuilder builder() {
        return new ListSessionsRequestBuilder();
    }

    /** Returns a builder that starts from this. */
    public ListSessionsRequestBuilder toBuilder() {
        return new ListSessionsRequestBuilder(this);
    }
}
