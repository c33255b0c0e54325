package dev.acp4j.cli.editors;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An agent in the settings of an editor.
 *
 * @param name the name that the editor shows
 * @param command the program to start
 * @param args its arguments
 * @param env variables that it gets, with their values
 */
record AgentEntry(String name, String command, List<String> args, Map<String, String> env) {
    private static final String TRACED = ", traced";

    AgentEntry {
        args = List.copyOf(args);
        env = Collections.unmodifiableMap(new LinkedHashMap<>(env));
    }

    /** Returns an agent that is started by a launch, without its variables. */
    static AgentEntry of(String name, Launch launch) {
        return new AgentEntry(name, launch.command(), launch.arguments(), Map.of());
    }

    /** Returns the same agent behind {@code acp trace}. */
    AgentEntry traced(AgentEntry acp) {
        List<String> words = new ArrayList<>(acp.args);
        words.addAll(List.of("trace", "--", command));
        words.addAll(args);
        return new AgentEntry(tracedName(name), acp.command, words, env);
    }

    static String tracedName(String name) {
        return name + TRACED;
    }

    boolean isTraced() {
        return name.endsWith(TRACED) && args.contains("trace");
    }

    /** Returns the command with its arguments. */
    List<String> words() {
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(args);
        return words;
    }

    /** Returns the agent as one line of JSON. */
    String json() {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("name", JsonString.of(name));
        members.putAll(AgentForm.COMMAND.members(this));
        return JsonObject.of(members).toString();
    }

    /** Reads such a line; null if it is none. */
    static @Nullable AgentEntry parse(String line) throws UnreadableTextException {
        JsonNode node = JsonScanner.scan(line, true);
        String name = node == null ? null : node.string("name");
        return node == null || name == null ? null : AgentForm.COMMAND.entry(name, node);
    }

    static JsonValue strings(Map<String, String> texts) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        texts.forEach((key, value) -> members.put(key, JsonString.of(value)));
        return JsonObject.of(members);
    }

    static JsonValue strings(List<String> texts) {
        return new JsonArray(texts.stream().<JsonValue>map(JsonString::of).toList());
    }
}
