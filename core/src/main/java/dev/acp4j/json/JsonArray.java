package dev.acp4j.json;

import java.util.List;

/**
 * An array.
 *
 * @param elements its elements; not to be modified
 */
public record JsonArray(List<JsonValue> elements) implements JsonValue {
    /** Copies the list. */
    public JsonArray {
        elements = List.copyOf(elements);
    }

    /** Creates an array. */
    public static JsonArray of(JsonValue... elements) {
        return new JsonArray(List.of(elements));
    }

    @Override
    public String toString() {
        return RawJson.of(this).toString();
    }
}
