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
import org.jspecify.annotations.Nullable;

/**
 * A list of agents.
 *
 * @param source its address, without a user and a query, or its file or folder
 * @param origin where it was copied from; the source itself unless it is a copy
 * @param asOf when it was last known to be current
 * @param staleness why it is not current, or an empty text
 * @param agents its entries
 * @param problems the entries that were left out
 */
public record Index(
        String source, String origin, Instant asOf, String staleness, List<AgentEntry> agents, List<Problem> problems) {
    /**
     * An entry that was left out. Its text is a sentence.
     *
     * @param id its id, which need not be a good one; null if there is none
     * @param reason why it was left out
     */
    public record Problem(@Nullable String id, String reason) {
        @Override
        public String toString() {
            return (id == null ? "an entry without an id" : id) + ": " + reason;
        }
    }

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
        List<Problem> problems = new ArrayList<>();
        for (JsonValue value : entries) {
            try {
                AgentEntry entry = AgentEntry.of(value);
                if (agents.putIfAbsent(entry.id(), entry) != null) {
                    problems.add(new Problem(entry.id(), "a second entry with this id"));
                }
            } catch (IllegalArgumentException e) {
                problems.add(new Problem(idOf(value), String.valueOf(e.getMessage())));
            }
        }
        return new Index(source, origin, asOf, "", List.copyOf(agents.values()), problems);
    }

    private static @Nullable String idOf(JsonValue value) {
        return value instanceof JsonObject object && object.get("id").orElse(null) instanceof JsonString id
                ? id.value()
                : null;
    }

    /** Returns the ids of entries that were left out, with the reason. */
    Map<String, String> leftOut() {
        Map<String, String> reasons = new LinkedHashMap<>();
        for (Problem problem : problems) {
            if (problem.id != null && AgentEntry.isId(problem.id)) {
                reasons.putIfAbsent(problem.id, problem.reason);
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
