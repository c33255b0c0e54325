package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Requests whether the agent has a session in memory, and changes nothing. Only for agents with
 * {@link SessionCapabilities#status()}.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionStatusRequest(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public SessionStatusRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static SessionStatusRequest of(SessionId sessionId) {
        return new SessionStatusRequest(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionStatusRequest withMeta(Meta meta) {
        return new SessionStatusRequest(sessionId, rest.withMeta(meta));
    }
}
