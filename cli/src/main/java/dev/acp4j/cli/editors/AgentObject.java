package dev.acp4j.cli.editors;

import dev.acp4j.cli.editors.JsonNode.Item;
import dev.acp4j.json.JsonValue;
import java.util.List;
import java.util.Map;

/**
 * Changes the object of one agent in a text. Members of it that are not acp's, such as its mode, are the user's and
 * stay.
 */
final class AgentObject {
    private AgentObject() {}

    /** Finds the object of the agent, which is there. */
    @FunctionalInterface
    interface Search {
        JsonNode in(JsonNode root) throws UnreadableTextException;
    }

    /**
     * Returns the text with these members: each change moves the places of the others, so they come one after the
     * other.
     *
     * @param own the members to take away if they are not among these
     */
    static String with(String text, boolean isStrict, Search search, Map<String, JsonValue> members, List<String> own)
            throws UnreadableTextException {
        String changed = text;
        for (Map.Entry<String, JsonValue> wanted : members.entrySet()) {
            JsonNode root = root(changed, isStrict);
            JsonNode agent = search.in(root);
            JsonNode value = agent.value(wanted.getKey());
            JsonSplice splice = new JsonSplice(changed, root);
            if (value == null) {
                changed = splice.add(agent, wanted.getKey(), wanted.getValue());
            } else if (!value.isSame(wanted.getValue())) {
                changed = splice.replace(value, wanted.getValue());
            }
        }
        for (String name : own) {
            JsonNode root = root(changed, isStrict);
            JsonNode agent = search.in(root);
            Item item = members.containsKey(name) ? null : agent.member(name);
            changed = item == null ? changed : new JsonSplice(changed, root).remove(agent, item);
        }
        return changed;
    }

    /** Returns a text with a value of another text in the place of one, as it stands there. */
    static String replaced(String text, JsonNode value, String other, JsonNode otherValue) {
        return text.substring(0, value.start())
                + other.substring(otherValue.start(), otherValue.end())
                + text.substring(value.end());
    }

    private static JsonNode root(String text, boolean isStrict) throws UnreadableTextException {
        JsonNode root = JsonScanner.scan(text, isStrict);
        if (root == null) {
            throw new IllegalStateException("a text lost its root");
        }
        return root;
    }
}
