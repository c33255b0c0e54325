package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What sort of text a field of a form takes.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#stringformat">String formats</a>
 */
@StringValue
public record StringFormat(String value) {
    /** An e-mail address. */
    public static final StringFormat EMAIL = new StringFormat("email");

    /** A URI. */
    public static final StringFormat URI = new StringFormat("uri");

    /** A day, written {@code 2026-11-20}. */
    public static final StringFormat DATE = new StringFormat("date");

    /** A day and a time of day, written as ISO 8601 has it. */
    public static final StringFormat DATE_TIME = new StringFormat("date-time");

    /** The values to switch over. */
    public enum Known {
        /** {@link StringFormat#EMAIL}. */
        EMAIL,
        /** {@link StringFormat#URI}. */
        URI,
        /** {@link StringFormat#DATE}. */
        DATE,
        /** {@link StringFormat#DATE_TIME}. */
        DATE_TIME,
        /** Any other value; {@link StringFormat#value()} has it. */
        UNRECOGNIZED
    }

    public StringFormat {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static StringFormat of(String value) {
        return new StringFormat(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "email" -> Known.EMAIL;
            case "uri" -> Known.URI;
            case "date" -> Known.DATE;
            case "date-time" -> Known.DATE_TIME;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof StringFormat that && value.equals(that.value);
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
