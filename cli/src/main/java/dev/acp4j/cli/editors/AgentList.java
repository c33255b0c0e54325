package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.JsonNode.Item;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Agents as a list, as the plugin for Obsidian has them: {@code "customAgents": [{"id", "displayName", "command",
 * "args", "env": [{"key", "value"}]}]}. The id is the name.
 */
record AgentList() implements AgentsText {
    private static final String MEMBER = "customAgents";
    private static final List<String> COMMAND = List.of("command", "args", "env");
    private static final String PROBLEM =
            "\"id\" or \"command\" is missing, or members are of wrong types: \"args\" is a list of texts, \"env\" one of "
                    + "objects with \"key\" and \"value\"";

    @Override
    public List<Listed> agents(String text) throws UnreadableTextException {
        List<Listed> all = new ArrayList<>();
        JsonNode root = root(text);
        JsonNode list = root == null ? null : list(text, root);
        if (list == null) {
            return all;
        }
        for (Item item : list.items()) {
            JsonNode node = item.value();
            String id = node.string("id");
            String shown = text.substring(node.start(), node.end());
            AgentEntry entry = id == null ? null : entry(id, node);
            all.add(new Listed(id == null ? "" : id, entry, null, null, entry == null ? PROBLEM : null, shown));
        }
        return all;
    }

    private static @Nullable AgentEntry entry(String id, JsonNode node) {
        String command = node.string("command");
        JsonNode args = node.value("args");
        List<String> words = args == null ? List.of() : args.strings();
        Map<String, String> variables = variables(node.value("env"));
        return command == null || words == null || variables == null
                ? null
                : new AgentEntry(id, command, words, variables);
    }

    private static @Nullable Map<String, String> variables(@Nullable JsonNode env) {
        Map<String, String> variables = new LinkedHashMap<>();
        if (env == null) {
            return variables;
        }
        for (Item item : env.items()) {
            String key = item.value().string("key");
            String value = item.value().string("value");
            if (key == null || value == null) {
                return null;
            }
            variables.put(key, value);
        }
        return env.isArray() ? variables : null;
    }

    @Override
    public String with(String text, AgentEntry entry) throws UnreadableTextException {
        JsonNode root = root(text);
        if (root == null) {
            return JsonSplice.create(text, JsonObject.of(Map.of(MEMBER, JsonArray.of(agent(entry)))));
        }
        JsonNode list = list(text, root);
        JsonSplice splice = new JsonSplice(text, root);
        if (list == null) {
            return splice.add(root, MEMBER, JsonArray.of(agent(entry)));
        }
        Item item = item(list, entry.name());
        if (item == null) {
            return splice.add(list, "", agent(entry));
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(agent(entry).members());
        members.keySet().retainAll(COMMAND);
        return AgentObject.with(text, true, now -> agent(text, now, entry.name()), members, List.of());
    }

    private static JsonNode agent(String text, JsonNode root, String id) throws UnreadableTextException {
        JsonNode list = list(text, root);
        Item item = list == null ? null : item(list, id);
        if (item == null) {
            throw new IllegalStateException("a text lost its agent");
        }
        return item.value();
    }

    @Override
    public String restored(String text, String former, String name) throws UnreadableTextException {
        Item now = item(text, name);
        Item before = item(former, name);
        return now == null || before == null
                ? without(text, name)
                : AgentObject.replaced(text, now.value(), former, before.value());
    }

    private static @Nullable Item item(String text, String name) throws UnreadableTextException {
        JsonNode root = root(text);
        JsonNode list = root == null ? null : list(text, root);
        return list == null ? null : item(list, name);
    }

    @Override
    public String without(String text, String name) throws UnreadableTextException {
        JsonNode root = root(text);
        JsonNode list = root == null ? null : list(text, root);
        Item item = list == null ? null : item(list, name);
        return root == null || list == null || item == null ? text : new JsonSplice(text, root).remove(list, item);
    }

    @Override
    public String pasted(List<AgentEntry> entries) {
        List<JsonValue> agents = new ArrayList<>();
        entries.forEach(entry -> agents.add(agent(entry)));
        return JsonString.of(MEMBER) + ": " + JsonSplice.pretty(new JsonArray(agents));
    }

    private static JsonObject agent(AgentEntry entry) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", JsonString.of(entry.name()));
        members.put("displayName", JsonString.of(entry.name()));
        members.put("command", JsonString.of(entry.command()));
        members.put("args", AgentEntry.strings(entry.args()));
        List<JsonValue> env = new ArrayList<>();
        entry.env().forEach((key, value) -> {
            Map<String, JsonValue> variable = new LinkedHashMap<>();
            variable.put("key", JsonString.of(key));
            variable.put("value", JsonString.of(value));
            env.add(JsonObject.of(variable));
        });
        members.put("env", new JsonArray(env));
        return JsonObject.of(members);
    }

    private static @Nullable JsonNode root(String text) throws UnreadableTextException {
        if (text.startsWith("\ufeff")) {
            throw UnreadableTextException.at(text, 0, "a byte order mark, which Obsidian does not read");
        }
        JsonNode root = JsonScanner.scan(text, true);
        if (root != null && !root.isObject()) {
            throw UnreadableTextException.at(text, root.start(), "expected an object");
        }
        return root;
    }

    private static @Nullable JsonNode list(String text, JsonNode root) throws UnreadableTextException {
        JsonNode list = root.value(MEMBER);
        if (list != null && !list.isArray()) {
            throw UnreadableTextException.at(text, list.start(), "expected a list as \"" + MEMBER + "\"");
        }
        return list;
    }

    private static @Nullable Item item(JsonNode list, String id) {
        for (Item item : list.items()) {
            if (id.equals(item.value().string("id"))) {
                return item;
            }
        }
        return null;
    }
}
