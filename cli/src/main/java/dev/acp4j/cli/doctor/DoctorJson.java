package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.json.JsonWriter;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The objects of {@code acp doctor --json}. {@code docs/cli.md} describes them; their member names are stable. */
final class DoctorJson {
    private DoctorJson() {}

    static String step(@Nullable String part, String step, Finding finding, long millis) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "step");
        string(json, "part", part);
        string(json, "step", step);
        string(json, "status", finding.level().name().toLowerCase(Locale.ROOT));
        string(json, "finding", finding.text());
        string(json, "cause", finding.cause());
        string(json, "next", finding.next());
        if (!finding.evidence().isEmpty()) {
            json.name("evidence");
            json.beginArray();
            finding.evidence().forEach(json::string);
            json.endArray();
        }
        number(json, "millis", millis);
        if (finding.details() != null) {
            json.name("mcp");
            json.raw(finding.details());
        }
        json.endObject();
        return json.toRawJson().toString();
    }

    static String changes(ChainDoctor.Changes all) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "capabilities");
        string(json, "part", all.part());
        number(json, "version", all.version().number());
        changes(json, "agent", all.ofAgent());
        changes(json, "client", all.ofClient());
        json.endObject();
        return json.toRawJson().toString();
    }

    private static void changes(JsonWriter json, String side, CapabilityChanges changes) {
        json.name(side);
        json.beginObject();
        strings(json, "added", changes.added());
        strings(json, "removed", changes.removed());
        strings(json, "changed", changes.changed());
        json.endObject();
    }

    private static void strings(JsonWriter json, String name, List<String> values) {
        json.name(name);
        json.beginArray();
        values.forEach(json::string);
        json.endArray();
    }

    static String conclusion(@Nullable String component, String text) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "conclusion");
        string(json, "firstBroken", component);
        string(json, "finding", text);
        json.endObject();
        return json.toRawJson().toString();
    }

    static String summary(String status, int problems, int warnings, ExitCode code) {
        JsonWriter json = new JsonWriter();
        json.beginObject();
        string(json, "type", "summary");
        string(json, "status", status);
        number(json, "problems", problems);
        number(json, "warnings", warnings);
        number(json, "exitCode", code.number());
        json.endObject();
        return json.toRawJson().toString();
    }

    private static void string(JsonWriter json, String name, @Nullable String value) {
        if (value != null) {
            json.name(name);
            json.string(value);
        }
    }

    private static void number(JsonWriter json, String name, long value) {
        json.name(name);
        json.int64(value);
    }
}
