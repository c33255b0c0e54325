package dev.acp4j.schema;

/**
 * Identifies a group of values within a setting. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
public final class SessionConfigGroupId extends StringValue {
    private SessionConfigGroupId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SessionConfigGroupId of(String value) {
        return new SessionConfigGroupId(value);
    }
}
