package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The type that the schema of a form declares for the form as a whole, which is always {@link #OBJECT}.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationschematype">Elicitation</a>
 */
@StringValue
public record ElicitationSchemaType(String value) {
    /** A JSON object, one member for each field of the form. */
    public static final ElicitationSchemaType OBJECT = new ElicitationSchemaType("object");

    /** The values to switch over. */
    public enum Known {
        /** {@link ElicitationSchemaType#OBJECT}. */
        OBJECT,
        /** Any other value; {@link ElicitationSchemaType#value()} has it. */
        UNRECOGNIZED
    }

    public ElicitationSchemaType {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ElicitationSchemaType of(String value) {
        return new ElicitationSchemaType(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "object" -> Known.OBJECT;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ElicitationSchemaType that && value.equals(that.value);
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
