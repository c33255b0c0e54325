package dev.acp4j.schema;

/**
 * Identifies a way of authentication offered by the agent. The client sends it back to select that way.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#advertising-authentication">Advertising
 *     authentication</a>
 */
public final class AuthMethodId extends StringValue {
    private AuthMethodId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static AuthMethodId of(String value) {
        return new AuthMethodId(value);
    }
}
