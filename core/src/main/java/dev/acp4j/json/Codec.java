package dev.acp4j.json;

/**
 * Reads one Java type from JSON and writes it. Codecs are stateless and thread-safe.
 *
 * @param <T> the Java type
 */
public interface Codec<T> {
    /**
     * Reads the value at the cursor and moves the cursor past it.
     *
     * @throws JsonException if the value is not of this type; the position of the cursor is then undefined
     */
    T decode(JsonReader in);

    /** Writes exactly one JSON value. */
    void encode(T value, JsonWriter out);
}
