package dev.acp4j.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;

/** The JSON Schema that the protocol publishes, as far as it says what the types must be. */
final class ProtocolSchema {
    static final ObjectMapper JSON = new ObjectMapper();

    private final JsonNode definitions;
    private final JsonNode withoutTexts;
    private final Map<JsonNode, List<Alternative>> expanded = new HashMap<>();

    private ProtocolSchema(JsonNode definitions) {
        this.definitions = definitions;
        this.withoutTexts = withoutTexts(definitions);
    }

    /** Reads the schema of a release, or skips the test where the specification is not at hand. */
    static ProtocolSchema read(Release release) {
        Path file = Path.of(System.getProperty("acp4j.shared", ""), "schema", release.path());
        Assumptions.assumeTrue(
                Files.isRegularFile(file), "the types are not held against the schema, as it is not at " + file);
        try {
            return new ProtocolSchema(JSON.readTree(file.toFile()).get("$defs"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    List<String> names() {
        List<String> names = new ArrayList<>();
        definitions.fieldNames().forEachRemaining(names::add);
        return names;
    }

    boolean has(String name) {
        return definitions.has(name);
    }

    JsonNode definition(String name) {
        return definitions.get(name);
    }

    /** Returns whether another schema says the same of a definition, and of all that it refers to. */
    boolean saysTheSame(String name, ProtocolSchema other) {
        return saysTheSame(name, other, new HashSet<>());
    }

    private boolean saysTheSame(String name, ProtocolSchema other, Set<String> seen) {
        if (!seen.add(name)) {
            return true;
        }
        if (!other.has(name) || !withoutTexts.get(name).equals(other.withoutTexts.get(name))) {
            return false;
        }
        return definition(name).findValuesAsText("$ref").stream()
                .map(ProtocolSchema::referred)
                .allMatch(reference -> saysTheSame(reference, other, seen));
    }

    private static JsonNode withoutTexts(JsonNode schema) {
        JsonNode copy = schema.deepCopy();
        copy.findParents("description").forEach(parent -> {
            if (parent.get("description").isTextual()) {
                ((ObjectNode) parent).remove("description");
            }
        });
        return copy;
    }

    private static String referred(String reference) {
        return reference.substring(reference.lastIndexOf('/') + 1);
    }

    List<Alternative> alternatives(String name) {
        return expand(definition(name));
    }

    /** Returns what a value may be: all choices are spelled out, all references followed. */
    List<Alternative> expand(JsonNode schema) {
        List<Alternative> known = expanded.get(schema);
        if (known == null) {
            known = expandNew(schema);
            expanded.put(schema, known);
        }
        return known;
    }

    private List<Alternative> expandNew(JsonNode schema) {
        List<Alternative> result = own(schema);
        if (schema.has("$ref")) {
            result = cross(result, alternatives(referred(schema.get("$ref").asText())));
        }
        for (JsonNode part : schema.path("allOf")) {
            result = cross(result, expand(part));
        }
        for (String choice : List.of("anyOf", "oneOf")) {
            List<Alternative> choices = new ArrayList<>();
            schema.path(choice).forEach(part -> choices.addAll(expand(part)));
            result = choices.isEmpty() ? result : cross(result, choices);
        }
        return result;
    }

    private static List<Alternative> own(JsonNode schema) {
        Map<String, JsonNode> members = new LinkedHashMap<>();
        schema.path("properties").properties().forEach(field -> members.put(field.getKey(), field.getValue()));
        Set<String> required = new LinkedHashSet<>();
        schema.path("required").forEach(name -> required.add(name.asText()));
        List<String> kinds = new ArrayList<>();
        if (schema.path("type").isArray()) {
            schema.get("type").forEach(kind -> kinds.add(kind.asText()));
        } else {
            kinds.add(schema.path("type").asText("any"));
        }
        return kinds.stream()
                .map(kind -> new Alternative(kind, members, required, schema, schema.has("not")))
                .toList();
    }

    private static List<Alternative> cross(List<Alternative> left, List<Alternative> right) {
        List<Alternative> result = new ArrayList<>();
        for (Alternative one : left) {
            for (Alternative other : right) {
                result.add(one.and(other));
            }
        }
        return result;
    }

    /**
     * One thing that a value may be.
     *
     * @param kind the JSON type, or {@code any}
     * @param members of an object
     * @param required the members that must be there
     * @param node the schema that says more, such as the items of an array
     * @param other whether it stands for all that is not known
     */
    record Alternative(String kind, Map<String, JsonNode> members, Set<String> required, JsonNode node, boolean other) {
        Alternative and(Alternative more) {
            Map<String, JsonNode> allMembers = new LinkedHashMap<>(members);
            allMembers.putAll(more.members);
            Set<String> allRequired = new LinkedHashSet<>(required);
            allRequired.addAll(more.required);
            boolean isAny = kind.equals("any");
            return new Alternative(
                    isAny ? more.kind : kind,
                    allMembers,
                    allRequired,
                    more.kind.equals("any") && !more.node.has("const") ? node : more.node,
                    other || more.other);
        }

        boolean isConstant(String member) {
            return member(member).has("const");
        }

        /** Returns the constants of its members, which tell it from other alternatives. */
        Map<String, String> constants() {
            Map<String, String> constants = new TreeMap<>();
            members.keySet().stream()
                    .filter(this::isConstant)
                    .forEach(name ->
                            constants.put(name, member(name).get("const").asText()));
            return constants;
        }

        List<String> ordinaryMembers() {
            return members.keySet().stream().filter(name -> !isConstant(name)).toList();
        }

        JsonNode member(String name) {
            return Objects.requireNonNull(members.get(name), name);
        }

        boolean isLenient(String name) {
            return member(name).path("x-deserialize-default-on-error").asBoolean();
        }

        boolean skipsInvalid(String name) {
            return member(name).path("x-deserialize-skip-invalid-items").asBoolean();
        }
    }
}
