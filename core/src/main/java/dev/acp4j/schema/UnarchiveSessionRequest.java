package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Returns an archived session to ordinary lists. Only for agents with {@link SessionCapabilities#archive()}.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record UnarchiveSessionRequest(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public UnarchiveSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static UnarchiveSessionRequest of(SessionId sessionId) {
        return new UnarchiveSessionRequest(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public UnarchiveSessionRequest withMeta(Meta meta) {
        return new UnarchiveSessionRequest(sessionId, rest.withMeta(meta));
    }
}
