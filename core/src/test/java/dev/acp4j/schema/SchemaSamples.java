package dev.acp4j.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.acp4j.schema.ProtocolSchema.Alternative;
import java.util.List;
import java.util.Optional;

/** Values that a schema allows, and values that it does not. */
final class SchemaSamples {
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final ProtocolSchema schema;
    private final boolean unknownMembers;

    SchemaSamples(ProtocolSchema schema) {
        this(schema, false);
    }

    private SchemaSamples(ProtocolSchema schema, boolean unknownMembers) {
        this.schema = schema;
        this.unknownMembers = unknownMembers;
    }

    /** Returns the same values, in which each object has members that no definition names. */
    SchemaSamples withUnknownMembers() {
        return new SchemaSamples(schema, true);
    }

    /** Returns a value with all members there are. */
    JsonNode full(Alternative alternative) {
        return sample(alternative, true);
    }

    /** Returns a value with no member that may be left out. */
    JsonNode minimal(Alternative alternative) {
        return sample(alternative, false);
    }

    JsonNode full(JsonNode type) {
        return sample(type, true);
    }

    /** Returns a value of another JSON type; empty when all are allowed. */
    Optional<JsonNode> wrong(JsonNode type) {
        List<String> allowed =
                schema.expand(type).stream().map(Alternative::kind).toList();
        if (allowed.contains("any")) {
            return Optional.empty();
        }
        if (!allowed.contains("array")) {
            return Optional.of(NODES.arrayNode().add(7));
        }
        return Optional.of(
                allowed.contains("object")
                        ? NODES.numberNode(7)
                        : NODES.objectNode().put("zzz", 7));
    }

    private JsonNode sample(JsonNode type, boolean full) {
        List<Alternative> alternatives = schema.expand(type).stream()
                .filter(alternative -> !alternative.kind().equals("null"))
                .toList();
        // The first value of a set of strings is often the default, which is not written.
        boolean isSet = alternatives.stream().anyMatch(one -> one.node().has("const"));
        return sample(alternatives.get(isSet && alternatives.size() > 1 ? 1 : 0), full);
    }

    private JsonNode sample(Alternative alternative, boolean full) {
        JsonNode node = alternative.node();
        if (node.has("const")) {
            return node.get("const");
        }
        return switch (alternative.kind()) {
            case "string" -> NODES.textNode("text");
            case "integer" -> NODES.numberNode(7);
            case "number" -> NODES.numberNode(0.5);
            case "boolean" -> NODES.booleanNode(true);
            case "null" -> NODES.nullNode();
            case "array" -> array(node.path("items"), full);
            case "any" -> NODES.objectNode().set("a", NODES.arrayNode().add(1).add("x"));
            case "object" -> object(alternative, full);
            default -> throw new IllegalArgumentException(alternative.kind());
        };
    }

    private ArrayNode array(JsonNode items, boolean full) {
        ArrayNode array = NODES.arrayNode();
        return full ? array.add(sample(items, true)) : array;
    }

    private JsonNode member(Alternative alternative, JsonNode type, boolean full) {
        if (type.has("const")) {
            return type.get("const");
        }
        JsonNode sample = sample(type, full);
        // No tag that is known.
        return alternative.other() && sample.asText().equals("text") ? NODES.textNode("_mine") : sample;
    }

    private ObjectNode object(Alternative alternative, boolean full) {
        ObjectNode object = NODES.objectNode();
        if (alternative.other() && full) {
            object.putObject("constructor").putArray("__proto__").add(1.5);
        }
        alternative.members().forEach((name, type) -> {
            // A default that is text is written even so.
            boolean written = type.path("default").isTextual();
            boolean isNull =
                    schema.expand(type).stream().allMatch(one -> one.kind().equals("null"));
            if (!isNull && (full || written || alternative.required().contains(name))) {
                object.set(name, member(alternative, type, full));
            }
        });
        JsonNode more = alternative.node().path("additionalProperties");
        if (full && alternative.members().isEmpty() && !more.isMissingNode()) {
            object.set(
                    "key",
                    more.isObject() ? sample(more, true) : NODES.objectNode().put("n", 1.5));
        }
        boolean isMap = alternative.members().isEmpty() && !more.isMissingNode();
        if (unknownMembers && !isMap) {
            object.putObject("zzz").putArray("a").add(1.5);
            object.putNull("__proto__");
        }
        return object;
    }
}
