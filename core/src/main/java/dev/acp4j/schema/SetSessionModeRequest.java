package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Sets the mode of a session, during a turn or outside of one.
 *
 * @param sessionId the session
 * @param modeId the mode, one of those offered by the session
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#setting-the-current-mode">Setting the current
 *     mode</a>
 */
@Codable
public record SetSessionModeRequest(SessionId sessionId, SessionModeId modeId, Rest rest) implements Extensible {
    @Evolving
    public SetSessionModeRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(modeId, "modeId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static SetSessionModeRequest of(SessionId sessionId, SessionModeId modeId) {
        return new SetSessionModeRequest(sessionId, modeId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionModeRequest withMeta(Meta meta) {
        return new SetSessionModeRequest(sessionId, modeId, rest.withMeta(meta));
    }
}
