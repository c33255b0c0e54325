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
 * Compares two releases of the schema, definition by definition, and names the Java types that a change touches. Left
 * out is what no type says: texts for people, {@code _meta}, which all objects have, and the list of the variants that
 * an unknown variant is not. {@code bin/schema-diff} runs it.
 */
final class SchemaDiff {
    private static final Set<String> LEFT_OUT = Set.of("description", "title", "x-docs-ignore", "not");

    private final JsonObject before;
    private final JsonObject after;
    private final Version version;

    SchemaDiff(JsonValue before, JsonValue after) {
        this.before = definitions(before);
        this.after = definitions(after);
        this.version = this.after.get("UpdateSessionNotification").isPresent() ? Version.V2 : Version.V1;
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
            boolean comesOrGoes =
                    before.get(name).isPresent() != after.get(name).isPresent();
            if (comesOrGoes || !changes.isEmpty()) {
                String what =
                        before.get(name).isEmpty() ? "+ " : after.get(name).isEmpty() ? "- " : "~ ";
                lines.add(what + name + "  (" + javaType(name) + ")");
                if (DefinitionNames.reason(name, version).isEmpty()) {
                    changes.forEach(change -> lines.add("    " + change));
                }
            }
        }
        return lines;
    }

    private String javaType(String definition) {
        return DefinitionNames.name(definition, version)
                .map(name -> name.replace('$', '.'))
                .or(() -> DefinitionNames.reason(definition, version).map(reason -> "no type: " + reason))
                .orElse("no type yet");
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
                case "properties" -> addMembers(schema, (JsonObject) value, facts);
                case "oneOf", "anyOf" ->
                    ((JsonArray) value).elements().forEach(one -> facts.put("one of " + label(one), text(one)));
                case "x-method" -> facts.put("method", schema.text("x-side").orElse("") + " " + text(value));
                case "required", "x-side", "type", "additionalProperties", "discriminator" -> {}
                default -> {
                    if (!LEFT_OUT.contains(key)) {
                        facts.put(key, text(value));
                    }
                }
            }
        });
        // What is no object is said by its type alone.
        schema.text("type").filter(type -> !type.equals("object")).ifPresent(type -> facts.put("type", type));
    }

    private static void addMembers(JsonObject schema, JsonObject members, Map<String, String> facts) {
        members.members().forEach((name, type) -> {
            if (!name.equals("_meta")) {
                facts.put("member " + name, required(schema, name) + text(type));
            }
        });
    }

    private static String required(JsonObject schema, String name) {
        boolean required = schema.get("required")
                .filter(names -> ((JsonArray) names).elements().contains(new JsonString(name)))
                .isPresent();
        return required ? "required " : "";
    }

    /**
     * Returns what tells one alternative from the others: its constant, the constant of its tag, its title, or its
     * type.
     */
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
        return object.text("title").orElseGet(() -> text(alternative));
    }

    /**
     * Returns a part of a schema on one line: a type as it is referred to, {@code ?} if it may be null, and its marks.
     */
    private static String text(JsonValue value) {
        return switch (value) {
            case JsonObject object -> {
                List<String> parts = new ArrayList<>();
                object.members().forEach((key, part) -> addPart(object, key, part, parts));
                yield parts.isEmpty() ? "any" : String.join(" ", parts);
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

    private static void addPart(JsonObject schema, String key, JsonValue part, List<String> parts) {
        switch (key) {
            case "$ref" -> parts.add(reference(part));
            case "type", "allOf", "anyOf" -> parts.add(alternatives(part));
            case "items" -> parts.add("of " + text(part));
            case "x-deserialize-default-on-error" -> parts.add("lenient");
            case "x-deserialize-skip-invalid-items" -> parts.add("skips-invalid");
            case "properties" -> {
                Map<String, String> members = new TreeMap<>();
                addMembers(schema, (JsonObject) part, members);
                // The constant of a tag is said by the label.
                members.values().removeIf(type -> type.contains("const="));
                members.forEach((member, type) -> parts.add("(" + member + ": " + type + ")"));
            }
            case "required" -> {}
            case "default" -> parts.add("default=" + part);
            case "additionalProperties" -> {
                if (part instanceof JsonObject) {
                    parts.add("of " + text(part));
                }
            }
            default -> {
                if (!LEFT_OUT.contains(key)) {
                    parts.add(key + "=" + text(part));
                }
            }
        }
    }

    /** Returns one type, or several; null among them is a question mark. */
    private static String alternatives(JsonValue types) {
        if (!(types instanceof JsonArray array)) {
            return text(types);
        }
        List<String> names =
                new ArrayList<>(array.elements().stream().map(SchemaDiff::text).toList());
        boolean mayBeNull = names.remove("null");
        return String.join(" | ", names) + (mayBeNull ? "?" : "");
    }

    private static String reference(JsonValue value) {
        String path = ((JsonString) value).value();
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
