package dev.acp4j.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/**
 * A number, stored as its literal, so that no digit is lost: {@code 9007199254740993} and {@code 1.50} are kept.
 * Numbers are equal if their literals are.
 *
 * @param literal the text of the number
 */
public record JsonNumber(String literal) implements JsonValue {
    /**
     * Checks the text.
     *
     * @throws IllegalArgumentException if it is not a JSON number
     */
    public JsonNumber {
        byte[] bytes = literal.getBytes(StandardCharsets.UTF_8);
        JsonText text = new JsonText(bytes, 0, bytes.length, "", 0);
        boolean valid;
        try {
            valid = text.number(0) == bytes.length;
        } catch (JsonException notOne) {
            valid = false;
        }
        if (!valid) {
            throw new IllegalArgumentException("not a JSON number: " + text.found(0));
        }
    }

    /** Creates an integer. */
    public static JsonNumber of(long value) {
        return new JsonNumber(RawJson.number(value).toString());
    }

    /**
     * Returns the integer.
     *
     * @throws ArithmeticException if this is not an integer of 64 bits
     */
    public long longValue() {
        byte[] bytes = ascii();
        return Numbers.int64(bytes, 0, bytes.length);
    }

    /** Returns the nearest double; infinite if the number is out of range. */
    public double doubleValue() {
        byte[] bytes = ascii();
        return Numbers.number(bytes, 0, bytes.length);
    }

    /**
     * Returns the exact value.
     *
     * @throws NumberFormatException if the exponent is beyond 32 bits
     */
    public BigDecimal bigDecimalValue() {
        return new BigDecimal(literal);
    }

    private byte[] ascii() {
        return literal.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Override
    public String toString() {
        return literal;
    }
}
