package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A list of agents.
 *
 * @param source its address, without a user and a query, or its file or folder
 * @param origin where it was copied from; the source itself unless it is a copy
 * @param asOf when it was last known to be current
 * @param staleness why it is not current, or an empty text
 * @param agents its entries
 * @param problems a sentence for each entry that was left out
 */
public record Index(
        String source, String origin, Instant asOf, String staleness, List<AgentEntry> agents, List<String> problems) {
    /** Copies the lists. */
    public Index {
        agents = List.copyOf(agents);
        problems = List.copyOf(problems);
    }

    /**
     * Reads an index, or a file with a single entry. An entry that cannot be used is left out.
     *
     * @throws RegistryException if it is neither
     */
    static Index parse(byte[] text, String source, Instant asOf) throws RegistryException {
        JsonObject json;
        try {
            json = Json.object(RawJson.parse(text).value(), "the index");
        } catch (JsonException | IllegalArgumentException e) {
            throw new RegistryException(source + " is not an index of agents: " + e.getMessage(), e);
        }
        if (json.get("agents").isEmpty() && json.get("id").isPresent()) {
            return of(source, source, asOf, List.of(json));
        }
        String version = json.text("version").orElse("");
        if (!version.matches("1(\\..*)?")) {
            throw new RegistryException(source + " has version " + (version.isEmpty() ? "(none)" : version)
                    + " of the format of indexes; this program reads version 1");
        }
        if (!(json.get("agents").orElse(null) instanceof JsonArray agents)) {
            throw new RegistryException(source + " has no list of agents");
        }
        return of(source, json.text("origin").orElse(source), asOf, agents.elements());
    }

    static Index of(String source, String origin, Instant asOf, List<? extends JsonValue> entries) {
        Map<String, AgentEntry> agents = new LinkedHashMap<>();
        List<String> problems = new ArrayList<>();
        for (JsonValue value : entries) {
            try {
                AgentEntry entry = AgentEntry.of(value);
                if (agents.putIfAbsent(entry.id(), entry) != null) {
                    problems.add(entry.id() + ": a second entry with this id");
                }
            } catch (IllegalArgumentException e) {
                problems.add(nameOf(value) + ": " + e.getMessage());
            }
        }
        return new Index(source, origin, asOf, "", List.copyOf(agents.values()), problems);
    }

    private static String nameOf(JsonValue value) {
        return value instanceof JsonObject object && object.get("id").orElse(null) instanceof JsonString id
                ? id.value()
                : "an entry without an id";
    }

    /** Returns the ids of entries that were left out, with the reason. */
    Map<String, String> leftOut() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (String problem : problems) {
            int end = problem.indexOf(": ");
            if (end > 0 && AgentEntry.isId(problem.substring(0, end))) {
                reasons.putIfAbsent(problem.substring(0, end), problem.substring(end + 2));
            }
        }
        return reasons;
    }

    /** Returns why the entry with an id was left out; empty if it was not. */
    public Optional<String> problem(String id) {
        return agent(id).isPresent()
                ? Optional.empty()
                : Optional.ofNullable(leftOut().get(id));
    }

    Index stale(String reason) {
        return new Index(source, origin, asOf, reason, agents, problems);
    }

    /** Returns the entry with an id; empty if there is none. */
    public Optional<AgentEntry> agent(String id) {
        return agents.stream().filter(entry -> entry.id().equals(id)).findFirst();
    }
}
