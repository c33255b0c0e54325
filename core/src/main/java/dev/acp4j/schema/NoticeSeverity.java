package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How loudly to show a notice. Values that begin with an underscore belong to implementations; others that are not
 * known here are left to future versions of the protocol.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/rfds/session-notices">Session notices</a>
 */
@StringValue
public record NoticeSeverity(String value) {
    /** Good to know. */
    public static final NoticeSeverity INFO = new NoticeSeverity("info");

    /** Something may need attention. */
    public static final NoticeSeverity WARNING = new NoticeSeverity("warning");

    /** Something went wrong. */
    public static final NoticeSeverity ERROR = new NoticeSeverity("error");

    /** The values to switch over. */
    public enum Known {
        /** {@link NoticeSeverity#INFO}. */
        INFO,
        /** {@link NoticeSeverity#WARNING}. */
        WARNING,
        /** {@link NoticeSeverity#ERROR}. */
        ERROR,
        /** Any other value; {@link NoticeSeverity#value()} has it. */
        UNRECOGNIZED
    }

    public NoticeSeverity {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static NoticeSeverity of(String value) {
        return new NoticeSeverity(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "info" -> Known.INFO;
            case "warning" -> Known.WARNING;
            case "error" -> Known.ERROR;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof NoticeSeverity that && value.equals(that.value);
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
