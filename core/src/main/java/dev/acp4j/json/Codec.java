package dev.acp4j.json;

/**
 * How one Java type is read from and written to JSON. Codecs hold no state: one instance serves every thread.
 *
 * @param <T> the Java type
 */
public interface Codec<T> {
    /**
     * Reads the value at the cursor and moves the cursor behind it.
     *
     * @throws JsonException if the value is not one of this type; where the cursor stands then is not defined
     */
    T decode(JsonReader in);

    /** Writes exactly one JSON value. */
    void encode(T value, JsonWriter out);
}
