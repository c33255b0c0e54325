package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Asks the agent to put a session into another mode, at work or not.
 *
 * @param sessionId the session
 * @param modeId the mode, one of those that the session offers
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public SetSessionModeRequest withMeta(Meta meta) {
        return new SetSessionModeRequest(sessionId, modeId, rest.withMeta(meta));
    }
}
