package dev.acp4j.json;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An object.
 *
 * @param members its members in their order; not to be modified
 */
public record JsonObject(Map<String, JsonValue> members) implements JsonValue {
    /** Copies the map, keeping its order. */
    public JsonObject {
        members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
    }

    /** Creates an object. */
    public static JsonObject of(Map<String, JsonValue> members) {
        return new JsonObject(members);
    }

    /** Returns the value of a member. */
    public Optional<JsonValue> get(String name) {
        return Optional.ofNullable(members.get(name));
    }

    /** Returns the value of a member that is a string; empty if it is anything else, or there is none. */
    public Optional<String> text(String name) {
        return members.get(name) instanceof JsonString string ? Optional.of(string.value()) : Optional.empty();
    }

    @Override
    public String toString() {
        return RawJson.of(this).toString();
    }
}
