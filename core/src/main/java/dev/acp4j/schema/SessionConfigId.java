package dev.acp4j.schema;

/**
 * Identifies a setting of a session, such as its model. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
public final class SessionConfigId extends StringValue {
    private SessionConfigId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SessionConfigId of(String value) {
        return new SessionConfigId(value);
    }
}
