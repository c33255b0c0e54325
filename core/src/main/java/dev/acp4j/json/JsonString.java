package dev.acp4j.json;

/**
 * A string.
 *
 * @param value its text, without quotes and escapes
 */
public record JsonString(String value) implements JsonValue {
    /** Creates a string. */
    public static JsonString of(String value) {
        return new JsonString(value);
    }

    @Override
    public String toString() {
        return RawJson.string(value).toString();
    }
}
