package dev.acp4j.nes;

import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Closes a session of next edit suggestions.
 *
 * @param sessionId the session
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/next-edit-suggestions">Next edit suggestions</a>
 */
@Codable
@Unstable
public record CloseNesRequest(SessionId sessionId, Rest rest) implements Extensible {
    public CloseNesRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with this member. */
    public static CloseNesRequest of(SessionId sessionId) {
        return new CloseNesRequest(sessionId, Rest.NONE);
    }
}
