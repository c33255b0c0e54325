package dev.acp4j.schema;

/**
 * Identifies an option of a permission request. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#permission-options">Permission options</a>
 */
public final class PermissionOptionId extends StringValue {
    private PermissionOptionId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static PermissionOptionId of(String value) {
        return new PermissionOptionId(value);
    }
}
