package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Variables that a user has set for agents, in a file that only the user reads: by another variable, by a command that
 * prints the value, or as the value itself.
 */
final class AgentValues {
    private final Path file;
    private final Store store;

    AgentValues(Store store) {
        this.store = store;
        this.file = store.root().resolve("values.json");
    }

    private Map<String, JsonValue> all() throws IOException {
        String text = Folders.text(file);
        if (text == null) {
            return Map.of();
        }
        try {
            return Json.object(RawJson.parse(text).value(), "values").members();
        } catch (JsonException | IllegalArgumentException e) {
            throw new RegistryException(file + " is damaged", e);
        }
    }

    private Map<String, JsonValue> of(String id) throws IOException {
        return all().get(id) instanceof JsonObject values ? values.members() : Map.of();
    }

    /** Sets a variable; null deletes it. */
    void set(String id, String name, @Nullable JsonObject source) throws IOException, InterruptedException {
        if (!name.matches("[A-Za-z_][A-Za-z0-9_]*")) {
            throw new RegistryException("not the name of a variable: " + name);
        }
        change(id, values -> {
            if (source == null) {
                values.remove(name);
            } else {
                values.put(name, source);
            }
        });
    }

    /** Deletes all variables of an agent. */
    void forget(String id) throws IOException, InterruptedException {
        if (!of(id).isEmpty()) {
            change(id, Map::clear);
        }
    }

    private void change(String id, Consumer<Map<String, JsonValue>> change) throws IOException, InterruptedException {
        Folders.create(store.root());
        Folders.create(store.locks());
        ProcessLock held = ProcessLock.take(store.locks().resolve("values"));
        try {
            Map<String, JsonValue> all = new TreeMap<>(all());
            Map<String, JsonValue> values = new TreeMap<>(of(id));
            change.accept(values);
            if (values.isEmpty()) {
                all.remove(id);
            } else {
                all.put(id, JsonObject.of(values));
            }
            Folders.write(file, Json.lines(JsonObject.of(all)).getBytes(StandardCharsets.UTF_8), "rw-------");
        } finally {
            held.close();
        }
    }

    static JsonObject ofVariable(String name) {
        return JsonObject.of(Map.of("variable", JsonString.of(name)));
    }

    static JsonObject ofCommand(List<String> command) {
        return JsonObject.of(Map.of(
                "command",
                new JsonArray(command.stream().<JsonValue>map(JsonString::of).toList())));
    }

    static JsonObject ofValue(String value) {
        return JsonObject.of(Map.of("value", JsonString.of(value)));
    }

    /** Returns the names with where their values come from, without the values. */
    Map<String, String> sources(String id) throws IOException {
        Map<String, String> sources = new TreeMap<>();
        of(id).forEach((name, source) -> {
            String text = "stored";
            if (source instanceof JsonObject object && object.text("variable").isPresent()) {
                text = "the variable " + object.text("variable").get();
            } else if (source instanceof JsonObject object
                    && object.get("command").isPresent()) {
                text = "a command";
            }
            sources.put(name, text);
        });
        return sources;
    }

    /** Returns the variables of this program that values are taken from. */
    Set<String> sourceVariables(String id) throws IOException {
        Set<String> names = new TreeSet<>();
        for (JsonValue source : of(id).values()) {
            if (source instanceof JsonObject object) {
                object.text("variable").ifPresent(names::add);
            }
        }
        return names;
    }

    /**
     * Returns the values.
     *
     * @throws RegistryException if a command fails or a variable is not set
     */
    Map<String, String> read(String id) throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonValue> each : of(id).entrySet()) {
            if (each.getValue() instanceof JsonObject source) {
                String value = value(source)
                        .orElseThrow(() -> new RegistryException("the value of " + each.getKey() + " for " + id
                                + " cannot be had: its variable is not set, or its command has failed"));
                values.put(each.getKey(), value);
            }
        }
        return values;
    }

    private static Optional<String> value(JsonObject source) {
        Optional<String> variable = source.text("variable");
        if (variable.isPresent()) {
            return Optional.ofNullable(System.getenv(variable.get()));
        }
        List<String> command = Json.texts(source, "command");
        return command.isEmpty() ? source.text("value") : UserSettings.output(command);
    }
}
