package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The data of the error {@link ErrorCode#RESOURCE_NOT_FOUND} for a session that does not exist or is not active.
 *
 * @param sessionId the session of the request
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/error#unknown-sessions">Unknown sessions</a>
 */
@Codable
@In(2)
@Unstable
public record SessionNotFoundErrorData(SessionId sessionId, Rest rest) implements Extensible {
    @Evolving
    public SessionNotFoundErrorData {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the data with these members. */
    public static SessionNotFoundErrorData of(SessionId sessionId) {
        return new SessionNotFoundErrorData(sessionId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionNotFoundErrorData withMeta(Meta meta) {
        return new SessionNotFoundErrorData(sessionId, rest.withMeta(meta));
    }
}
