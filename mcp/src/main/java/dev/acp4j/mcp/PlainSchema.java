package dev.acp4j.mcp;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Schemas that say no more than most do: types, properties and which of them are required, elements, enums of texts. It
 * only recognizes such schemas and what they accept. All others, and what is wrong with a value, are a matter of the
 * library of schemas, which takes a tenth of a second to load: as long as a whole program that uses a server once.
 */
final class PlainSchema {
    private static final int MOST_LEVELS = 32;

    /** Those in which the keywords that are known here mean the same. */
    private static final Set<String> DRAFTS = Set.of(
            "https://json-schema.org/draft/2020-12/schema",
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-07/schema");

    private static final Set<String> TYPES =
            Set.of("object", "array", "string", "boolean", "null", "number", "integer");

    private PlainSchema() {}

    static boolean isPlain(JsonValue schema) {
        return isPlain(schema, 0);
    }

    private static boolean isPlain(JsonValue schema, int level) {
        if (!(schema instanceof JsonObject object) || level > MOST_LEVELS) {
            return false;
        }
        for (Map.Entry<String, JsonValue> member : object.members().entrySet()) {
            if (!isPlain(member.getKey(), member.getValue(), level)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isPlain(String keyword, JsonValue value, int level) {
        return switch (keyword) {
            case "$schema" -> level == 0 && value instanceof JsonString draft && DRAFTS.contains(draft.value());
            case "type" -> value instanceof JsonString type && TYPES.contains(type.value());
            case "properties" -> value instanceof JsonObject all && arePlain(all, level);
            case "items" -> isPlain(value, level + 1);
            case "required" -> areTexts(value);
            case "enum" -> areTexts(value) && !((JsonArray) value).elements().isEmpty();
            case "additionalProperties" -> value instanceof JsonBoolean;
            case "title", "description", "format", "$comment" -> value instanceof JsonString;
            case "default" -> true;
            default -> false;
        };
    }

    private static boolean arePlain(JsonObject properties, int level) {
        for (JsonValue property : properties.members().values()) {
            if (!isPlain(property, level + 1)) {
                return false;
            }
        }
        return true;
    }

    /** Whether this is a list of texts, none of them twice. */
    private static boolean areTexts(JsonValue value) {
        if (!(value instanceof JsonArray array)) {
            return false;
        }
        Set<String> texts = new HashSet<>();
        for (JsonValue element : array.elements()) {
            if (!(element instanceof JsonString text) || !texts.add(text.value())) {
                return false;
            }
        }
        return true;
    }

    /** Whether a plain schema accepts a value. */
    static boolean accepts(JsonValue schema, JsonValue value) {
        Map<String, JsonValue> keywords = ((JsonObject) schema).members();
        if (!isOf(keywords.get("type"), value)
                || (keywords.get("enum") instanceof JsonArray all && !contains(all, value))) {
            return false;
        }
        if (value instanceof JsonObject object) {
            return acceptsMembers(keywords, object.members());
        }
        JsonValue items = keywords.get("items");
        if (value instanceof JsonArray array && items != null) {
            for (JsonValue element : array.elements()) {
                if (!accepts(items, element)) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean contains(JsonArray texts, JsonValue value) {
        for (JsonValue element : texts.elements()) {
            if (value instanceof JsonString text && text.value().equals(((JsonString) element).value())) {
                return true;
            }
        }
        return false;
    }

    private static boolean acceptsMembers(Map<String, JsonValue> keywords, Map<String, JsonValue> members) {
        if (keywords.get("required") instanceof JsonArray required) {
            for (JsonValue name : required.elements()) {
                if (!members.containsKey(((JsonString) name).value())) {
                    return false;
                }
            }
        }
        Map<String, JsonValue> properties =
                keywords.get("properties") instanceof JsonObject known ? known.members() : Map.of();
        boolean areOthersAllowed =
                !(keywords.get("additionalProperties") instanceof JsonBoolean allowed) || allowed.value();
        for (Map.Entry<String, JsonValue> member : members.entrySet()) {
            JsonValue property = properties.get(member.getKey());
            if (property == null ? !areOthersAllowed : !accepts(property, member.getValue())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isOf(@Nullable JsonValue type, JsonValue value) {
        return !(type instanceof JsonString name)
                || switch (name.value()) {
                    case "object" -> value instanceof JsonObject;
                    case "array" -> value instanceof JsonArray;
                    case "string" -> value instanceof JsonString;
                    case "boolean" -> value instanceof JsonBoolean;
                    case "null" -> value instanceof JsonNull;
                    case "number" -> value instanceof JsonNumber;
                    // One that is not certainly whole is a matter of the library.
                    default ->
                        value instanceof JsonNumber number
                                && number.bigDecimalValue().scale() == 0;
                };
    }
}
