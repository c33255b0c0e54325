package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What choosing a permission option means, so that clients can show it fittingly and policies can choose by themselves.
 *
 * <p>A kind that is not known here is to be shown to the user, and never to be chosen automatically: {@link #isAllow()}
 * is false for it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#permission-options">Permission options</a>
 */
@StringValue
public record PermissionOptionKind(String value) {
    /** Allows the operation this time. */
    public static final PermissionOptionKind ALLOW_ONCE = new PermissionOptionKind("allow_once");

    /** Allows the operation now and in future. */
    public static final PermissionOptionKind ALLOW_ALWAYS = new PermissionOptionKind("allow_always");

    /** Forbids the operation this time. */
    public static final PermissionOptionKind REJECT_ONCE = new PermissionOptionKind("reject_once");

    /** Forbids the operation now and in future. */
    public static final PermissionOptionKind REJECT_ALWAYS = new PermissionOptionKind("reject_always");

    /** The values to switch over. */
    public enum Known {
        /** {@link PermissionOptionKind#ALLOW_ONCE}. */
        ALLOW_ONCE,
        /** {@link PermissionOptionKind#ALLOW_ALWAYS}. */
        ALLOW_ALWAYS,
        /** {@link PermissionOptionKind#REJECT_ONCE}. */
        REJECT_ONCE,
        /** {@link PermissionOptionKind#REJECT_ALWAYS}. */
        REJECT_ALWAYS,
        /** Any other value; {@link PermissionOptionKind#value()} has it. */
        UNRECOGNIZED
    }

    public PermissionOptionKind {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PermissionOptionKind of(String value) {
        return new PermissionOptionKind(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "allow_once" -> Known.ALLOW_ONCE;
            case "allow_always" -> Known.ALLOW_ALWAYS;
            case "reject_once" -> Known.REJECT_ONCE;
            case "reject_always" -> Known.REJECT_ALWAYS;
            default -> Known.UNRECOGNIZED;
        };
    }

    /** Returns whether this is known to allow the operation, once or always. */
    public boolean isAllow() {
        return equals(ALLOW_ONCE) || equals(ALLOW_ALWAYS);
    }

    /** Returns whether this is known to be remembered for later operations. */
    public boolean isAlways() {
        return equals(ALLOW_ALWAYS) || equals(REJECT_ALWAYS);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PermissionOptionKind that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
