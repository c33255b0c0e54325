package dev.acp4j.json;

/** The value {@code null}. */
public record JsonNull() implements JsonValue {
    /** All of them are equal. */
    public static final JsonNull INSTANCE = new JsonNull();

    @Override
    public String toString() {
        return "null";
    }
}
