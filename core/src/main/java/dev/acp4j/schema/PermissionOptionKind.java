package dev.acp4j.schema;

import java.util.List;

/**
 * The meaning of a permission option, for presentation in clients and for automatic policies.
 *
 * <p>An unknown kind must be shown to the user and must never be chosen automatically: {@link #isAllow()} is false for
 * it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#permission-options">Permission options</a>
 */
public final class PermissionOptionKind extends StringValue {
    /** Allows the operation this time. */
    public static final PermissionOptionKind ALLOW_ONCE = new PermissionOptionKind("allow_once");

    /** Allows the operation now and in the future. */
    public static final PermissionOptionKind ALLOW_ALWAYS = new PermissionOptionKind("allow_always");

    /** Forbids the operation this time. */
    public static final PermissionOptionKind REJECT_ONCE = new PermissionOptionKind("reject_once");

    /** Forbids the operation now and in the future. */
    public static final PermissionOptionKind REJECT_ALWAYS = new PermissionOptionKind("reject_always");

    private PermissionOptionKind(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PermissionOptionKind of(String value) {
        return new PermissionOptionKind(value);
    }

    /** Returns the constants. */
    public static List<PermissionOptionKind> known() {
        return StringValueCodec.PERMISSION_OPTION_KIND.known();
    }

    /** Returns whether this kind is known to allow the operation, once or always. */
    public boolean isAllow() {
        return equals(ALLOW_ONCE) || equals(ALLOW_ALWAYS);
    }

    /** Returns whether this kind is known to be remembered for later operations. */
    public boolean isAlways() {
        return equals(ALLOW_ALWAYS) || equals(REJECT_ALWAYS);
    }
}
