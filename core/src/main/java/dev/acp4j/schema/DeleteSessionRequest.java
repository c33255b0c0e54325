package dev.acp4j.schema;

import java.util.Objects;

/**
 * Asks the agent to take a session off its list. A session that is not there counts as deleted. Only for agents with
 * {@link SessionCapabilities#delete()}.
 *
 * @param sessionId the session
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete">Session delete</a>
 */
@Codable
public record DeleteSessionRequest(SessionId sessionId, Meta meta) {
    @Evolving
    public DeleteSessionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the request with these members. */
    public static DeleteSessionRequest of(SessionId sessionId) {
        return new DeleteSessionRequest(sessionId, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public DeleteSessionRequest withMeta(Meta meta) {
        return new DeleteSessionRequest(sessionId, meta);
    }
}
