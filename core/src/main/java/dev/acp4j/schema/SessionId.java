package dev.acp4j.schema;

/**
 * Identifies a conversation between a client and an agent. The agent chooses it when the session is created; it is
 * opaque to all others.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#session-id">Session ID</a>
 */
public final class SessionId extends StringValue {
    private SessionId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SessionId of(String value) {
        return new SessionId(value);
    }
}
