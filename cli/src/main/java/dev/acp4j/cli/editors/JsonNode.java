package dev.acp4j.cli.editors;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A value in a text of JSON, with its place.
 *
 * @param kind what it is
 * @param start the index of its first character
 * @param end the index after its last character
 * @param text the text of a string, without quotes and escapes; empty otherwise
 * @param items the members of an object, or the elements of an array
 */
record JsonNode(Kind kind, int start, int end, String text, List<Item> items) {
    enum Kind {
        OBJECT,
        ARRAY,
        STRING,
        /** A number, {@code true}, {@code false} or {@code null}. */
        OTHER
    }

    /**
     * A member of an object, or an element of an array.
     *
     * @param name the name of a member; empty for elements
     * @param start the index of its first character: of the name, or of the value of an element
     * @param value the value
     * @param comma the index of the comma behind it; -1 if there is none
     */
    record Item(String name, int start, JsonNode value, int comma) {
        /** Returns the index after its last character, the comma included. */
        int end() {
            return comma < 0 ? value.end : comma + 1;
        }
    }

    boolean isObject() {
        return kind == Kind.OBJECT;
    }

    boolean isArray() {
        return kind == Kind.ARRAY;
    }

    boolean isString() {
        return kind == Kind.STRING;
    }

    /** Returns the member of this name; the last one of several, which is the one that readers take. */
    @Nullable
    Item member(String name) {
        Item found = null;
        for (Item item : items) {
            if (isObject() && item.name.equals(name)) {
                found = item;
            }
        }
        return found;
    }

    /** Returns the value of a member, or null. */
    @Nullable
    JsonNode value(String name) {
        Item item = member(name);
        return item == null ? null : item.value;
    }

    /** Returns the text of a member that is a string, or null. */
    @Nullable
    String string(String name) {
        JsonNode value = value(name);
        return value != null && value.isString() ? value.text : null;
    }

    /** Returns the elements of an array of strings; null if it is something else. */
    @Nullable
    List<String> strings() {
        List<String> all = new ArrayList<>();
        for (Item item : items) {
            if (!item.value.isString()) {
                return null;
            }
            all.add(item.value.text);
        }
        return isArray() ? all : null;
    }

    /** Returns the members of an object of strings; null if it is something else. */
    @Nullable
    Map<String, String> stringMembers() {
        Map<String, String> all = new LinkedHashMap<>();
        for (Item item : items) {
            if (!item.value.isString()) {
                return null;
            }
            all.put(item.name, item.value.text);
        }
        return isObject() ? all : null;
    }

    /** Returns whether it is the same as a value of strings, arrays and objects. */
    boolean isSame(JsonValue value) {
        return switch (value) {
            case JsonString string -> isString() && text.equals(string.value());
            case JsonArray array ->
                isArray()
                        && items.size() == array.elements().size()
                        && IntStream.range(0, items.size())
                                .allMatch(i -> items.get(i)
                                        .value
                                        .isSame(array.elements().get(i)));
            case JsonObject object ->
                isObject()
                        && items.size() == object.members().size()
                        && items.stream().allMatch(item -> {
                            JsonValue member = object.members().get(item.name);
                            return member != null && item.value.isSame(member);
                        });
            default -> false;
        };
    }
}
