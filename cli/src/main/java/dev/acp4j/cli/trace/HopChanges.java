package dev.acp4j.cli.trace;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What differs between a message on one hop and on the next, member by member. */
final class HopChanges {
    private static final int MOST = 50;

    private final List<String> lines = new ArrayList<>();

    private HopChanges() {}

    /** Returns a line for each change: {@code + path: value}, {@code - path: value} or {@code ~ path: old → new}. */
    static List<String> of(@Nullable RawJson before, @Nullable RawJson after) {
        if (before == null || after == null || before.equals(after)) {
            return List.of();
        }
        HopChanges changes = new HopChanges();
        changes.compare(
                "", MessageFacts.of(before).value(), MessageFacts.of(after).value());
        List<String> lines = changes.lines;
        if (lines.size() > MOST) {
            int more = lines.size() - MOST;
            lines = new ArrayList<>(lines.subList(0, MOST));
            lines.add("… " + more + " more");
        }
        return lines;
    }

    private void compare(String path, JsonValue before, JsonValue after) {
        if (before.equals(after)) {
            return;
        }
        if (before instanceof JsonObject one && after instanceof JsonObject other) {
            Set<String> names = new LinkedHashSet<>(one.members().keySet());
            names.addAll(other.members().keySet());
            for (String name : names) {
                compareMember(
                        path.isEmpty() ? name : path + "." + name,
                        one.members().get(name),
                        other.members().get(name));
            }
        } else if (before instanceof JsonArray one && after instanceof JsonArray other) {
            compare(path, one.elements(), other.elements());
        } else {
            lines.add("~ " + path + ": " + before + " → " + after);
        }
    }

    private void compareMember(String path, @Nullable JsonValue before, @Nullable JsonValue after) {
        if (before != null && after != null) {
            compare(path, before, after);
        } else if (after != null) {
            lines.add("+ " + path + ": " + after);
        } else {
            lines.add("- " + path + ": " + before);
        }
    }

    /** What is equal at both ends of the lists stays; what is between them is compared. */
    private void compare(String path, List<JsonValue> before, List<JsonValue> after) {
        int shorter = Math.min(before.size(), after.size());
        int first = 0;
        while (first < shorter && before.get(first).equals(after.get(first))) {
            first++;
        }
        int last = 0;
        while (last < shorter - first
                && before.get(before.size() - 1 - last).equals(after.get(after.size() - 1 - last))) {
            last++;
        }
        int oldEnd = before.size() - last;
        int newEnd = after.size() - last;
        for (int i = first; i < Math.max(oldEnd, newEnd); i++) {
            compareMember(path + "[" + i + "]", i < oldEnd ? before.get(i) : null, i < newEnd ? after.get(i) : null);
        }
    }
}
