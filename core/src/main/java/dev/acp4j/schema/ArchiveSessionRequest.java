package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Archives a session, which removes it from ordinary lists. Only for agents with {@link SessionCapabilities#archive()}.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record ArchiveSessionRequest(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public ArchiveSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static ArchiveSessionRequest of(SessionId sessionId) {
        return new ArchiveSessionRequest(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ArchiveSessionRequest withMeta(Meta meta) {
        return new ArchiveSessionRequest(sessionId, rest.withMeta(meta));
    }
}
