package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import java.util.List;
import java.util.Objects;

/**
 * What a user filled in for one field of a form.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationcontentvalue">Elicitation</a>
 */
public sealed interface ElicitationContentValue {
    /** Returns text, or a choice from a list. */
    static Text of(String value) {
        return new Text(value);
    }

    /** Returns a whole number. */
    static Whole of(long value) {
        return new Whole(value);
    }

    /** Returns a number. */
    static Decimal of(double value) {
        return new Decimal(value);
    }

    /** Returns yes or no. */
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
     * @param value the text, or what the choice stands for
     */
    record Text(String value) implements ElicitationContentValue {
        public Text {
            Objects.requireNonNull(value, "value is null");
        }
    }

    /**
     * A whole number.
     *
     * @param value the number
     */
    record Whole(long value) implements ElicitationContentValue {}

    /**
     * A number that is not whole, or is written as if it were not.
     *
     * @param value the number, which is finite
     */
    record Decimal(double value) implements ElicitationContentValue {
        public Decimal {
            Bounds.finite("value", value);
        }
    }

    /**
     * Yes or no.
     *
     * @param value whether it is yes
     */
    record Bool(boolean value) implements ElicitationContentValue {}

    /**
     * Choices from a list.
     *
     * @param values what the choices stand for, possibly none
     */
    record Choices(List<String> values) implements ElicitationContentValue {
        public Choices {
            values = List.copyOf(values);
        }
    }

    /**
     * Something else, for a field of a type that this version of the library does not know.
     *
     * @param raw the JSON as it came, which is what is written again
     */
    record Unknown(RawJson raw) implements ElicitationContentValue {
        public Unknown {
            Objects.requireNonNull(raw, "raw is null");
        }
    }
}
