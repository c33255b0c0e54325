package dev.acp4j.cli.doctor;

import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a chain does to the capabilities of one side.
 *
 * @param added the paths of those that only come out
 * @param removed the paths of those that only go in
 * @param changed the paths of those whose value differs
 */
record CapabilityChanges(List<String> added, List<String> removed, List<String> changed) {
    CapabilityChanges {
        added = List.copyOf(added);
        removed = List.copyOf(removed);
        changed = List.copyOf(changed);
    }

    /**
     * Compares.
     *
     * @param offered the capabilities that went in
     * @param carrier the object that came out
     * @param member its member with capabilities
     */
    static CapabilityChanges of(RawJson offered, @Nullable RawJson carrier, String member) {
        Map<String, String> before = new TreeMap<>();
        Map<String, String> after = new TreeMap<>();
        collect("", offered.value(), before);
        if (carrier != null && carrier.value() instanceof JsonObject object) {
            object.get(member).ifPresent(value -> collect("", value, after));
        }
        List<String> added = new ArrayList<>();
        List<String> changed = new ArrayList<>();
        after.forEach((path, value) -> {
            String old = before.remove(path);
            if (old == null) {
                added.add(path);
            } else if (!old.equals(value)) {
                changed.add(path);
            }
        });
        return new CapabilityChanges(added, List.copyOf(before.keySet()), changed);
    }

    /** Collects what is offered: neither absent, nor null, nor false. */
    private static void collect(String path, JsonValue value, Map<String, String> to) {
        if (value instanceof JsonNull || value.equals(new JsonBoolean(false))) {
            return;
        }
        if (!path.isEmpty()
                && !(value instanceof JsonObject object && !object.members().isEmpty())) {
            to.put(path, String.valueOf(value));
        }
        if (value instanceof JsonObject object) {
            object.members().forEach((name, member) -> collect(path.isEmpty() ? name : path + "." + name, member, to));
        }
    }

    boolean isNone() {
        return added.isEmpty() && removed.isEmpty() && changed.isEmpty();
    }

    /** Returns for example {@code + loadSession, - promptCapabilities.image, ~ mcp}. */
    String text() {
        List<String> all = new ArrayList<>();
        added.forEach(path -> all.add("+ " + path));
        removed.forEach(path -> all.add("- " + path));
        changed.forEach(path -> all.add("~ " + path));
        return all.isEmpty() ? "nothing" : String.join(", ", all);
    }
}
