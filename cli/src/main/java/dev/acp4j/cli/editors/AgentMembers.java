package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.JsonNode.Item;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Agents as the members of an object in settings: {@code "agent_servers": {NAME: {"command", "args", "env"}}}. Other
 * members of an agent, such as its default mode, are the user's and stay.
 *
 * @param member the name of that object; with a dot, it may also be nested
 * @param isStrict whether the editor takes no comments
 * @param isTyped whether {@code "type": "custom"} marks agents that the editor did not install itself
 */
record AgentMembers(String member, boolean isStrict, boolean isTyped) implements AgentsText {
    private static final String TYPE = "type";
    private static final String CUSTOM = "custom";

    @Override
    public List<Listed> agents(String text) throws UnreadableTextException {
        JsonNode root = root(text);
        JsonNode agents = root == null ? null : agents(text, root);
        List<Listed> all = new ArrayList<>();
        if (agents != null) {
            for (Item item : agents.items()) {
                all.add(listed(text, item));
            }
        }
        return all;
    }

    private Listed listed(String text, Item item) {
        JsonNode value = item.value();
        String shown = text.substring(item.start(), value.end());
        AgentEntry entry = value.isObject() ? AgentEntry.of(item.name(), value) : null;
        String type = value.string(TYPE);
        if (isTyped && entry == null && value.isObject() && value.value("command") == null) {
            String old = type == null
                    ? "It names an agent of an older Zed by its id; Zed now writes \"type\": \"registry\"."
                    : null;
            return new Listed(item.name(), null, "it is installed by the editor itself", old, shown);
        }
        String old = isTyped && type == null ? "It has no \"type\": \"custom\", which newer versions write." : null;
        return new Listed(item.name(), entry, null, old, shown);
    }

    @Override
    public String with(String text, AgentEntry entry) throws UnreadableTextException {
        JsonNode root = root(text);
        if (root == null) {
            return JsonSplice.create(text, JsonObject.of(Map.of(member, agentsOf(entry))));
        }
        JsonNode agents = agents(text, root);
        if (agents == null) {
            return new JsonSplice(text, root).add(root, member, agentsOf(entry));
        }
        Item item = agents.member(entry.name());
        if (item == null) {
            return new JsonSplice(text, root).add(agents, entry.name(), JsonObject.of(members(entry)));
        }
        if (!item.value().isObject()) {
            return new JsonSplice(text, root).replace(item.value(), JsonObject.of(members(entry)));
        }
        return updated(text, entry);
    }

    /** Changes the members that differ, one after the other: each change moves the places of the others. */
    private String updated(String text, AgentEntry entry) throws UnreadableTextException {
        String changed = text;
        for (Map.Entry<String, JsonValue> wanted : members(entry).entrySet()) {
            JsonNode root = scanned(changed);
            JsonNode agent = agent(changed, root, entry.name());
            JsonNode value = agent.value(wanted.getKey());
            JsonSplice splice = new JsonSplice(changed, root);
            if (value == null) {
                changed = splice.add(agent, wanted.getKey(), wanted.getValue());
            } else if (!isSame(value, wanted.getValue())) {
                changed = splice.replace(value, wanted.getValue());
            }
        }
        JsonNode root = scanned(changed);
        JsonNode agent = agent(changed, root, entry.name());
        Item env = agent.member("env");
        return env == null || !entry.env().isEmpty() || env.value().items().isEmpty()
                ? changed
                : new JsonSplice(changed, root).remove(agent, env);
    }

    private static boolean isSame(JsonNode value, JsonValue wanted) {
        if (wanted instanceof JsonString string) {
            return value.isString() && value.text().equals(string.value());
        }
        List<String> strings = value.strings();
        Map<String, String> members = value.stringMembers();
        return (strings != null && AgentEntry.strings(strings).equals(wanted))
                || (members != null && AgentEntry.strings(members).equals(wanted));
    }

    @Override
    public String without(String text, String name) throws UnreadableTextException {
        JsonNode root = root(text);
        JsonNode agents = root == null ? null : agents(text, root);
        Item item = agents == null ? null : agents.member(name);
        return root == null || agents == null || item == null ? text : new JsonSplice(text, root).remove(agents, item);
    }

    @Override
    public String pasted(List<AgentEntry> entries) {
        Map<String, JsonValue> agents = new LinkedHashMap<>();
        entries.forEach(entry -> agents.put(entry.name(), JsonObject.of(members(entry))));
        return JsonString.of(member) + ": " + JsonSplice.pretty(JsonObject.of(agents));
    }

    private JsonObject agentsOf(AgentEntry entry) {
        return JsonObject.of(Map.of(entry.name(), JsonObject.of(members(entry))));
    }

    private Map<String, JsonValue> members(AgentEntry entry) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        if (isTyped) {
            members.put(TYPE, JsonString.of(CUSTOM));
        }
        members.putAll(entry.members());
        return members;
    }

    /** Returns the object of the whole text; null if there is none yet. */
    private @Nullable JsonNode root(String text) throws UnreadableTextException {
        JsonNode root = JsonScanner.scan(text, isStrict);
        if (root != null && !root.isObject()) {
            throw UnreadableTextException.at(text, root.start(), "expected an object");
        }
        return root;
    }

    private JsonNode scanned(String text) throws UnreadableTextException {
        JsonNode root = root(text);
        if (root == null) {
            throw new IllegalStateException("a text lost its root");
        }
        return root;
    }

    /** Returns the object with the agents; null if there is none yet. */
    private @Nullable JsonNode agents(String text, JsonNode root) throws UnreadableTextException {
        JsonNode agents = root.value(member);
        int dot = member.indexOf('.');
        if (agents == null && dot > 0) {
            JsonNode outer = root.value(member.substring(0, dot));
            agents = outer == null ? null : outer.value(member.substring(dot + 1));
        }
        if (agents != null && !agents.isObject()) {
            throw UnreadableTextException.at(text, agents.start(), "expected an object as \"" + member + "\"");
        }
        return agents;
    }

    private JsonNode agent(String text, JsonNode root, String name) throws UnreadableTextException {
        JsonNode agents = agents(text, root);
        JsonNode agent = agents == null ? null : agents.value(name);
        if (agent == null) {
            throw new IllegalStateException("a text lost its agent");
        }
        return agent;
    }
}
