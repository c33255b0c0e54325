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
 * Agents as the members of an object in settings: {@code "agent_servers": {NAME: {"command", "args", "env"}}}.
 *
 * @param member the name of that object; with a dot, it may also be nested
 * @param form how each agent is written
 * @param isStrict whether the editor takes no comments
 * @param isWhole whether the file has little else, so that what is pasted is the whole file
 */
record AgentMembers(String member, AgentForm form, boolean isStrict, boolean isWhole) implements AgentsText {
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
        AgentEntry entry = value.isObject() ? form.entry(item.name(), value) : null;
        JsonNode type = form == AgentForm.TYPED ? value.value("type") : null;
        boolean isCustom = type != null && type.isString() && type.text().equals("custom");
        if (form == AgentForm.TYPED && value.isObject() && value.value("command") == null && !isCustom) {
            String old = type == null
                    ? "It names an agent of an older Zed by its id; Zed now writes \"type\": \"registry\"."
                    : null;
            return new Listed(item.name(), null, "it is installed by the editor itself", old, null, shown);
        }
        String old = form == AgentForm.TYPED && type == null
                ? "It has no \"type\": \"custom\", which newer versions write."
                : null;
        return new Listed(item.name(), entry, null, old, entry == null ? form.problem() : null, shown);
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
            return new JsonSplice(text, root).add(agents, entry.name(), JsonObject.of(form.members(entry)));
        }
        if (!item.value().isObject()) {
            return new JsonSplice(text, root).replace(item.value(), JsonObject.of(form.members(entry)));
        }
        return AgentObject.with(text, isStrict, now -> agent(text, now, entry.name()), form.members(entry), form.own());
    }

    private JsonNode agent(String text, JsonNode root, String name) throws UnreadableTextException {
        JsonNode agents = agents(text, root);
        JsonNode agent = agents == null ? null : agents.value(name);
        if (agent == null) {
            throw new IllegalStateException("a text lost its agent");
        }
        return agent;
    }

    @Override
    public String restored(String text, String former, String name) throws UnreadableTextException {
        Item now = item(text, name);
        Item before = item(former, name);
        return now == null || before == null
                ? without(text, name)
                : AgentObject.replaced(text, now.value(), former, before.value());
    }

    private @Nullable Item item(String text, String name) throws UnreadableTextException {
        JsonNode root = root(text);
        JsonNode agents = root == null ? null : agents(text, root);
        return agents == null ? null : agents.member(name);
    }

    @Override
    public @Nullable String obstacle(AgentEntry entry) {
        return form.obstacle(entry);
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
        entries.forEach(entry -> agents.put(entry.name(), JsonObject.of(form.members(entry))));
        return isWhole
                ? JsonSplice.pretty(JsonObject.of(Map.of(member, JsonObject.of(agents))))
                : JsonString.of(member) + ": " + JsonSplice.pretty(JsonObject.of(agents));
    }

    private JsonObject agentsOf(AgentEntry entry) {
        return JsonObject.of(Map.of(entry.name(), JsonObject.of(form.members(entry))));
    }

    /** Returns the object of the whole text; null if there is none yet. */
    private @Nullable JsonNode root(String text) throws UnreadableTextException {
        JsonNode root = JsonScanner.scan(text, isStrict);
        if (root != null && !root.isObject()) {
            throw UnreadableTextException.at(text, root.start(), "expected an object");
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
}
