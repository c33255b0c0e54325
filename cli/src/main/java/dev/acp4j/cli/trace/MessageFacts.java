package dev.acp4j.cli.trace;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads values of a message of any shape: missing values, and values of another type, are empty. */
public record MessageFacts(JsonValue value) {
    public static MessageFacts of(@Nullable RawJson json) {
        try {
            return new MessageFacts(json == null ? JsonNull.INSTANCE : json.value());
        } catch (JsonException e) {
            return new MessageFacts(JsonNull.INSTANCE);
        }
    }

    /** Returns the value at a path of members. */
    public MessageFacts at(String... path) {
        JsonValue found = value;
        for (String name : path) {
            found = found instanceof JsonObject object ? object.get(name).orElse(JsonNull.INSTANCE) : JsonNull.INSTANCE;
        }
        return new MessageFacts(found);
    }

    public boolean isThere() {
        return !(value instanceof JsonNull);
    }

    /** Returns a string unchanged, and any other value as JSON; the empty text for a missing value. */
    public String text() {
        return switch (value) {
            case JsonString string -> string.value();
            case JsonNull nothing -> "";
            default -> value.toString();
        };
    }

    /** Returns the text of the member, as {@link #text()}. */
    public String text(String... path) {
        return at(path).text();
    }

    /** Returns a number; 0 if it is not a number. */
    double number() {
        return value instanceof JsonNumber number ? number.doubleValue() : 0;
    }

    /** Returns the elements of a list; none if it is not a list. */
    List<MessageFacts> list(String... path) {
        return at(path).value instanceof JsonArray array
                ? array.elements().stream().map(MessageFacts::new).toList()
                : List.of();
    }
}
