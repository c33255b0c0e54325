package dev.acp4j.json;

/**
 * A boolean.
 *
 * @param value whether it is {@code true}
 */
public record JsonBoolean(boolean value) implements JsonValue {
    /** Creates a boolean. */
    public static JsonBoolean of(boolean value) {
        return new JsonBoolean(value);
    }

    @Override
    public String toString() {
        return value ? "true" : "false";
    }
}
