package dev.acp4j.registry;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** Finds the agent that somebody names: by its id, a well-known short name, or the beginning of its id. */
final class Names {
    /** The ids that a short name has had, the present one first. */
    private static final Map<String, List<String>> SHORT = Map.of(
            "claude", List.of("claude-acp", "claude-code-acp", "claude-agent-acp"),
            "codex", List.of("codex-acp"),
            "copilot", List.of("github-copilot-cli", "github-copilot"),
            "cursor", List.of("cursor", "cursor-agent"),
            "qwen", List.of("qwen-code"),
            "vibe", List.of("mistral-vibe"));

    private Names() {}

    /** @throws UnknownAgentException if none or several have the name */
    static String resolve(String name, Collection<String> ids) throws UnknownAgentException {
        List<String> sorted = List.copyOf(new TreeSet<>(ids));
        if (!AgentEntry.isId(name)) {
            throw new UnknownAgentException(
                    name,
                    "not the name of an agent: " + name + " (names have lower-case letters, digits and hyphens)",
                    sorted);
        }
        if (ids.contains(name)) {
            return name;
        }
        for (String id : SHORT.getOrDefault(name, List.of())) {
            if (ids.contains(id)) {
                return id;
            }
        }
        List<String> beginning =
                sorted.stream().filter(id -> id.startsWith(name)).toList();
        if (beginning.size() == 1) {
            return beginning.getFirst();
        }
        throw new UnknownAgentException(
                name,
                beginning.isEmpty()
                        ? "there is no agent " + name
                        : "several agents begin with " + name + ": " + String.join(", ", beginning),
                sorted);
    }
}
