package dev.acp4j.cli.editors;

import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.process.Launch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** How an editor has one agent as a JSON object. */
enum AgentForm {
    /** {@code {"command", "args", "env"}}; most editors have it. */
    COMMAND,

    /** The same with {@code "type": "custom"}, which Zed writes for agents that it has not installed itself. */
    TYPED {
        @Override
        Map<String, JsonValue> members(AgentEntry entry) {
            Map<String, JsonValue> members = new LinkedHashMap<>(Map.of("type", JsonString.of("custom")));
            members.putAll(super.members(entry));
            return members;
        }
    },

    /**
     * {@code {"command", "args"}} for a command without space and quotes, else {@code {"argv"}} alone: acpx refuses the
     * whole file otherwise. An agent of acpx has the variables of acpx.
     */
    ARGV {
        @Override
        Map<String, JsonValue> members(AgentEntry entry) {
            Map<String, JsonValue> members = new LinkedHashMap<>();
            if (isPlain(entry.command())) {
                members.put("command", JsonString.of(entry.command()));
                members.put("args", AgentEntry.strings(entry.args()));
            } else {
                members.put("argv", AgentEntry.strings(entry.words()));
            }
            return members;
        }

        @Override
        List<String> own() {
            return List.of("command", "args", "argv");
        }

        @Override
        @Nullable
        AgentEntry entry(String name, JsonNode node) {
            JsonNode argv = node.value("argv");
            JsonNode args = node.value("args");
            String command = node.string("command");
            List<String> words;
            if (argv != null) {
                words = command == null && args == null ? argv.strings() : null;
            } else if (command == null || command.isBlank()) {
                words = null;
            } else {
                words = args == null ? line(command) : isPlain(command) ? words(command, args.strings()) : null;
            }
            return words == null || words.isEmpty()
                    ? null
                    : new AgentEntry(name, words.getFirst(), words.subList(1, words.size()), Map.of());
        }

        @Override
        String problem() {
            return "acpx refuses the whole file: it takes a \"command\", or one without space and quotes with \"args\", "
                    + "or \"argv\" alone";
        }

        @Override
        @Nullable
        String obstacle(AgentEntry entry) {
            return entry.env().isEmpty()
                    ? null
                    : "acpx gives an agent the variables that it has itself, and none of its own: set "
                            + String.join(", ", entry.env().keySet()) + " where acpx is started, and leave --env out";
        }
    };

    private static boolean isPlain(String command) {
        return command.chars().noneMatch(c -> Character.isWhitespace(c) || c == '"' || c == '\'');
    }

    private static @Nullable List<String> words(String command, @Nullable List<String> args) {
        if (args == null) {
            return null;
        }
        List<String> words = new ArrayList<>(List.of(command));
        words.addAll(args);
        return words;
    }

    /** Splits a whole command line. */
    private static @Nullable List<String> line(String command) {
        try {
            Launch launch = Launch.parse(command);
            return words(launch.command(), launch.arguments());
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Returns the members that are written for an agent. */
    Map<String, JsonValue> members(AgentEntry entry) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("command", JsonString.of(entry.command()));
        members.put("args", AgentEntry.strings(entry.args()));
        if (!entry.env().isEmpty()) {
            members.put("env", AgentEntry.strings(entry.env()));
        }
        return members;
    }

    /** Returns the names of members that are taken away where {@link #members} has none: others are the user's. */
    List<String> own() {
        return List.of("command", "args", "env");
    }

    /** Reads an agent; null if there is no command, or members are of wrong types. */
    @Nullable
    AgentEntry entry(String name, JsonNode node) {
        String command = node.string("command");
        JsonNode args = node.value("args");
        JsonNode env = node.value("env");
        List<String> words = args == null ? List.of() : args.strings();
        Map<String, String> variables = env == null ? Map.of() : env.stringMembers();
        return command == null || command.isBlank() || words == null || variables == null
                ? null
                : new AgentEntry(name, command, words, variables);
    }

    /** Returns what is wrong with an object that is no agent, as a sentence. */
    String problem() {
        return "there is no \"command\", or members are of wrong types: \"command\" is a text, \"args\" a list of texts, "
                + "\"env\" an object of texts";
    }

    /** Returns why an agent cannot be written, as a sentence; null if it can. */
    @Nullable
    String obstacle(AgentEntry entry) {
        return null;
    }
}
