package dev.acp4j.json;

/**
 * A JSON value as a tree of records, for exploring JSON. Codecs do not use it. {@code toString} returns the JSON text.
 *
 * <pre>{@code
 * String describe(JsonValue value) {
 *     return switch (value) {
 *         case JsonObject object -> object.members().size() + " members";
 *         case JsonArray array -> array.elements().size() + " elements";
 *         case JsonString string -> string.value();
 *         case JsonNumber number -> number.literal();
 *         case JsonBoolean bool -> bool.value() ? "yes" : "no";
 *         case JsonNull none -> "nothing";
 *     };
 * }
 * }</pre>
 */
public sealed interface JsonValue permits JsonObject, JsonArray, JsonString, JsonNumber, JsonBoolean, JsonNull {
    /** Reads and writes any value. */
    Codec<JsonValue> CODEC = new JsonTree();

    /**
     * Reads a text.
     *
     * @throws JsonException if it is not JSON
     */
    static JsonValue parse(String text) {
        return RawJson.parse(text).value();
    }
}
