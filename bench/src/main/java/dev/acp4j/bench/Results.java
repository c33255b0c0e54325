package dev.acp4j.bench;

import dev.acp4j.json.JsonWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What was measured: for each workload, quantity and subject the values of all rounds. */
final class Results {
    /** A row. The unit is told by the end of the name, behind the comma. */
    record Row(String workload, String what) {
        boolean moreIsBetter() {
            return what.endsWith("/s");
        }
    }

    private final Map<Row, Map<String, List<Double>>> values = new LinkedHashMap<>();
    private final Map<String, Map<String, String>> failures = new LinkedHashMap<>();

    void add(String workload, String what, String subject, double value) {
        values.computeIfAbsent(new Row(workload, what), row -> new LinkedHashMap<>())
                .computeIfAbsent(subject, name -> new ArrayList<>())
                .add(value);
    }

    /** Notes why a subject has no values in a workload, or not all. */
    void missing(String workload, String subject, String why) {
        failures.computeIfAbsent(workload, name -> new LinkedHashMap<>()).putIfAbsent(subject, why);
    }

    Set<Row> rows() {
        return Collections.unmodifiableSet(values.keySet());
    }

    Map<String, Map<String, String>> failures() {
        return Collections.unmodifiableMap(failures);
    }

    /** Returns those with values, in the order in which they came. */
    Set<String> subjects() {
        Set<String> names = new LinkedHashSet<>();
        values.values().forEach(row -> names.addAll(row.keySet()));
        return names;
    }

    boolean has(Row row, String subject) {
        return values.getOrDefault(row, Map.of()).containsKey(subject);
    }

    double least(Row row, String subject) {
        return sorted(row, subject).getFirst();
    }

    double median(Row row, String subject) {
        List<Double> sorted = sorted(row, subject);
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1 ? sorted.get(middle) : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }

    double most(Row row, String subject) {
        return sorted(row, subject).getLast();
    }

    private List<Double> sorted(Row row, String subject) {
        return values.getOrDefault(row, Map.of()).getOrDefault(subject, List.of()).stream()
                .sorted()
                .toList();
    }

    /** Returns all values as JSON. */
    String json() {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("machine");
        out.string(Machine.describe());
        out.name("results");
        out.beginArray();
        values.forEach((row, subjects) -> subjects.keySet().forEach(subject -> write(row, subject, out)));
        out.endArray();
        out.name("missing");
        out.beginArray();
        failures.forEach((workload, subjects) -> subjects.forEach((subject, why) -> {
            out.beginObject();
            member(out, "workload", workload);
            member(out, "subject", subject);
            member(out, "why", why);
            out.endObject();
        }));
        out.endArray();
        out.endObject();
        return out.toRawJson().toString();
    }

    private void write(Row row, String subject, JsonWriter out) {
        out.beginObject();
        member(out, "workload", row.workload());
        member(out, "what", row.what());
        member(out, "subject", subject);
        out.name("median");
        out.number(median(row, subject));
        out.name("values");
        out.beginArray();
        values.getOrDefault(row, Map.of()).getOrDefault(subject, List.of()).forEach(out::number);
        out.endArray();
        out.endObject();
    }

    private static void member(JsonWriter out, String name, String value) {
        out.name(name);
        out.string(value);
    }
}
