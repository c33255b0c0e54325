package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Rejecting;
import java.util.List;
import java.util.Objects;

/**
 * The value of one field of a form.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationcontentvalue">Elicitation</a>
 */
public sealed interface ElicitationContentValue {
    /** Returns text, or a choice from a list. */
    static Text of(String value) {
        return new Text(value);
    }

    /** Returns an integer. */
    static Whole of(long value) {
        return new Whole(value);
    }

    /** Returns a number. */
    static Decimal of(double value) {
        return new Decimal(value);
    }

    /** Returns a boolean. */
    static Bool of(boolean value) {
        return new Bool(value);
    }

    /** Returns choices from a list. */
    static Choices of(List<String> values) {
        return new Choices(values);
    }

    /**
     * Text, or a choice from a list.
     *
     * @param value the text, or the value of the choice
     */
    record Text(String value) implements ElicitationContentValue {
        public Text {
            Objects.requireNonNull(value, "value is null");
        }
    }

    /**
     * An integer.
     *
     * @param value the number
     */
    record Whole(long value) implements ElicitationContentValue {}

    /**
     * A number with a fraction, or written with one.
     *
     * @param value the number, which is finite
     */
    @Rejecting
    record Decimal(double value) implements ElicitationContentValue {
        public Decimal {
            Bounds.finite("value", value);
        }
    }

    /**
     * A boolean.
     *
     * @param value the value
     */
    record Bool(boolean value) implements ElicitationContentValue {}

    /**
     * Choices from a list.
     *
     * @param values the values of the choices, possibly none
     */
    record Choices(List<String> values) implements ElicitationContentValue {
        public Choices {
            values = List.copyOf(values);
        }
    }

    /**
     * Something else, for a field of a type unknown to this version of the library.
     *
     * @param raw the original JSON, which is written unchanged
     */
    record Unknown(RawJson raw) implements ElicitationContentValue {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
