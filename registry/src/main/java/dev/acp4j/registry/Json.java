package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Members of objects with their types, and JSON as text for people: sorted, one member on each line. */
final class Json {
    private Json() {}

    /** @throws IllegalArgumentException if there is none, or it is empty or no string */
    static String text(JsonObject object, String name) {
        String text = optionalText(object, name);
        if (text == null || text.isBlank()) {
            throw new IllegalArgumentException(name + ": expected a string");
        }
        return text;
    }

    /** @throws IllegalArgumentException if it is no string */
    static @Nullable String optionalText(JsonObject object, String name) {
        JsonValue value = object.get(name).orElse(null);
        if (value == null) {
            return null;
        }
        if (!(value instanceof JsonString text)) {
            throw new IllegalArgumentException(name + ": expected a string");
        }
        return text.value();
    }

    static List<String> texts(JsonObject object, String name) {
        JsonValue value = object.get(name).orElse(null);
        if (value == null) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        if (value instanceof JsonArray array) {
            for (JsonValue element : array.elements()) {
                if (element instanceof JsonString text) {
                    texts.add(text.value());
                }
            }
            if (texts.size() == array.elements().size()) {
                return texts;
            }
        }
        throw new IllegalArgumentException(name + ": expected an array of strings");
    }

    static Map<String, String> textMap(JsonObject object, String name) {
        JsonValue value = object.get(name).orElse(null);
        if (value == null) {
            return Map.of();
        }
        if (!(value instanceof JsonObject members)) {
            throw new IllegalArgumentException(name + ": expected an object");
        }
        Map<String, String> texts = new LinkedHashMap<>();
        members.members().forEach((key, member) -> {
            if (!(member instanceof JsonString text)) {
                throw new IllegalArgumentException(name + "." + key + ": expected a string");
            }
            texts.put(key, text.value());
        });
        return texts;
    }

    /** @throws IllegalArgumentException if it is anything else */
    static JsonObject object(JsonValue value, String what) {
        if (value instanceof JsonObject object) {
            return object;
        }
        throw new IllegalArgumentException(what + ": expected an object");
    }

    /** Returns the text of a value, with sorted members. */
    static String lines(JsonValue value) {
        StringBuilder out = new StringBuilder();
        append(out, value, "");
        return out.append('\n').toString();
    }

    private static void append(StringBuilder out, JsonValue value, String indent) {
        String deeper = indent + "  ";
        String separator = "";
        switch (value) {
            case JsonObject object
            when !object.members().isEmpty() -> {
                out.append('{');
                for (Map.Entry<String, JsonValue> member : new TreeMap<>(object.members()).entrySet()) {
                    out.append(separator).append('\n').append(deeper);
                    out.append(JsonString.of(member.getKey())).append(": ");
                    append(out, member.getValue(), deeper);
                    separator = ",";
                }
                out.append('\n').append(indent).append('}');
            }
            case JsonArray array
            when array.elements().stream().anyMatch(JsonObject.class::isInstance) -> {
                out.append('[');
                for (JsonValue element : array.elements()) {
                    out.append(separator).append('\n').append(deeper);
                    append(out, element, deeper);
                    separator = ",";
                }
                out.append('\n').append(indent).append(']');
            }
            default -> out.append(value);
        }
    }
}
