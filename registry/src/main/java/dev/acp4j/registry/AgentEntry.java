package dev.acp4j.registry;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What an index says of one agent.
 *
 * @param id its id, lower-case letters, digits and hyphens
 * @param name its name for people
 * @param version its version
 * @param description what it is, in a sentence
 * @param distributions the ways to get it, at least one, in the order of their kinds
 * @param json the whole entry, with the members that have no component here
 */
public record AgentEntry(
        String id, String name, String version, String description, List<Distribution> distributions, JsonObject json) {
    private static final Pattern ID = Pattern.compile("[a-z][a-z0-9-]{0,127}");

    /** Copies the list. */
    public AgentEntry {
        distributions = List.copyOf(distributions);
    }

    /** Returns whether a text is a valid id. */
    public static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /**
     * Reads an entry. Unknown members are kept in {@link #json}.
     *
     * @throws IllegalArgumentException if a member is missing or cannot be used; the message says which
     */
    public static AgentEntry of(JsonValue value) {
        JsonObject json = Json.object(value, "the entry");
        String id = Json.text(json, "id");
        if (!isId(id)) {
            throw new IllegalArgumentException("id: expected lower-case letters, digits and hyphens, got " + id);
        }
        String version = Json.text(json, "version");
        if (!Versions.isSafe(version)) {
            throw new IllegalArgumentException("version: not a version: " + version);
        }
        JsonObject distribution =
                Json.object(json.get("distribution").orElseThrow(AgentEntry::noDistribution), "distribution");
        return new AgentEntry(
                id,
                Json.text(json, "name"),
                version,
                Json.text(json, "description"),
                Distribution.read(distribution, version),
                json);
    }

    private static IllegalArgumentException noDistribution() {
        return new IllegalArgumentException("distribution: missing");
    }

    /** Returns the address of its source code; empty if the entry has none. */
    public Optional<String> repository() {
        return json.text("repository");
    }

    /** Returns its licence, an SPDX identifier or {@code proprietary}; empty if the entry has none. */
    public Optional<String> license() {
        return json.text("license");
    }

    /** Returns the way of a kind; empty if there is none. */
    public Optional<Distribution> distribution(Distribution.Kind kind) {
        return distributions.stream().filter(each -> each.kind() == kind).findFirst();
    }

    /** Returns the id and the version. */
    @Override
    public String toString() {
        return id + " " + version;
    }

    @Nullable
    String text(String member) {
        return json.text(member).orElse(null);
    }
}
