package dev.acp4j.schema;

/**
 * Identifies a value of a setting. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoptionvalue">Values of an
 *     option</a>
 */
public final class SessionConfigValueId extends StringValue {
    private SessionConfigValueId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static SessionConfigValueId of(String value) {
        return new SessionConfigValueId(value);
    }
}
