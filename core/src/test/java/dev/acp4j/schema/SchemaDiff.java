package dev.acp4j.schema;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Compares two releases of the schema, definition by definition, and names the Java types that a change touches. Texts
 * for people are left out. {@code bin/schema-diff} runs it.
 */
final class SchemaDiff {
    private static final Set<String> TEXTS = Set.of("description", "title", "x-docs-ignore");

    private final JsonObject before;
    private final JsonObject after;
    private final Version version;

    SchemaDiff(JsonValue before, JsonValue after) {
        this.before = definitions(before);
        this.after = definitions(after);
        this.version = this.after.get("StateUpdate").isPresent() ? Version.V2 : Version.V1;
    }

    private static JsonObject definitions(JsonValue schema) {
        return (JsonObject) ((JsonObject) schema).get("$defs").orElseThrow();
    }

    /** Prints the difference of two files. */
    public static void main(String[] args) throws IOException {
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        if (args.length != 2) {
            out.println("usage: bin/schema-diff OLD NEW");
            return;
        }
        JsonValue before = JsonValue.parse(Files.readString(Path.of(args[0])));
        JsonValue after = JsonValue.parse(Files.readString(Path.of(args[1])));
        new SchemaDiff(before, after).lines().forEach(out::println);
    }

    /** Returns a line for each definition that differs, and below it one for each difference. */
    List<String> lines() {
        Set<String> names = new TreeSet<>(before.members().keySet());
        names.addAll(after.members().keySet());
        List<String> lines = new ArrayList<>();
        for (String name : names) {
            List<String> changes = changes(facts(before.get(name)), facts(after.get(name)));
            if (!changes.isEmpty()) {
                String what =
                        before.get(name).isEmpty() ? "+ " : after.get(name).isEmpty() ? "- " : "~ ";
                lines.add(what + name + "  (" + javaType(name) + ")");
                changes.forEach(change -> lines.add("    " + change));
            }
        }
        return lines;
    }

    private String javaType(String definition) {
        return DefinitionNames.name(definition, version)
                .map(name -> name.replace('$', '.'))
                .orElse("no type");
    }

    private static List<String> changes(Map<String, String> before, Map<String, String> after) {
        Map<String, String> changes = new TreeMap<>();
        before.forEach((key, value) -> {
            if (!after.containsKey(key)) {
                changes.put(key, "- " + key + ": " + value);
            } else if (!value.equals(after.get(key))) {
                changes.put(key, "~ " + key + ": " + value + "  ->  " + after.get(key));
            }
        });
        after.forEach((key, value) -> {
            if (!before.containsKey(key)) {
                changes.put(key, "+ " + key + ": " + value);
            }
        });
        return List.copyOf(changes.values());
    }

    /** Returns what a definition says: its members, its variants or values, and everything else. */
    private static Map<String, String> facts(Optional<JsonValue> definition) {
        Map<String, String> facts = new TreeMap<>();
        if (definition.isPresent() && definition.get() instanceof JsonObject object) {
            addFacts(object, facts);
        }
        return facts;
    }

    private static void addFacts(JsonObject schema, Map<String, String> facts) {
        schema.members().forEach((key, value) -> {
            switch (key) {
                case "properties" ->
                    ((JsonObject) value)
                            .members()
                            .forEach((name, type) -> facts.put("member " + name, required(schema, name) + text(type)));
                case "oneOf", "anyOf" ->
                    ((JsonArray) value).elements().forEach(one -> facts.put("one of " + label(one), text(one)));
                case "required" -> {}
                default -> {
                    if (!TEXTS.contains(key)) {
                        facts.put(key, text(value));
                    }
                }
            }
        });
    }

    private static String required(JsonObject schema, String name) {
        boolean required = schema.get("required")
                .filter(names -> ((JsonArray) names).elements().contains(new JsonString(name)))
                .isPresent();
        return required ? "required " : "";
    }

    /** Returns what tells one alternative from the others: its constant, the constant of its tag, or its type. */
    private static String label(JsonValue alternative) {
        if (!(alternative instanceof JsonObject object)) {
            return text(alternative);
        }
        Optional<JsonValue> constant = object.get("const");
        if (constant.isPresent()) {
            return text(constant.get());
        }
        Optional<JsonValue> properties = object.get("properties");
        if (properties.isPresent()) {
            for (JsonValue member : ((JsonObject) properties.get()).members().values()) {
                if (member instanceof JsonObject type && type.get("const").isPresent()) {
                    return text(type.get("const").get());
                }
            }
        }
        return text(alternative);
    }

    /** Returns a part of a schema on one line, without the texts for people. */
    private static String text(JsonValue value) {
        return switch (value) {
            case JsonObject object -> {
                List<String> parts = new ArrayList<>();
                object.members().forEach((key, part) -> {
                    if (key.equals("$ref")) {
                        parts.add(reference(part));
                    } else if (!TEXTS.contains(key)) {
                        parts.add(key + "=" + text(part));
                    }
                });
                yield parts.size() == 1 ? parts.getFirst() : "{" + String.join(", ", parts) + "}";
            }
            case JsonArray array ->
                "["
                        + String.join(
                                ", ",
                                array.elements().stream().map(SchemaDiff::text).toList()) + "]";
            case JsonString string -> string.value();
            default -> value.toString();
        };
    }

    private static String reference(JsonValue value) {
        String path = ((JsonString) value).value();
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
