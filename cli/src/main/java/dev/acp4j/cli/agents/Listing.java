package dev.acp4j.cli.agents;

import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.cli.terminal.Styles;
import dev.acp4j.cli.terminal.Wrap;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.AgentEntry;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Index;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.Pin;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Which agents are listed, and how they are printed. */
final class Listing {
    @Option(names = "--refresh", description = "Ask for the newest index, although the copy is younger than an hour.")
    private boolean refresh;

    @Option(names = "--via", paramLabel = "KIND", description = "Only those that can be had by binary, npx or uvx.")
    private @Nullable String via;

    @Option(names = "--license", paramLabel = "LICENSE", description = "Only those with this licence.")
    private @Nullable String license;

    @Option(names = "--installed", description = "Only those that are installed.")
    private boolean installed;

    @Option(
            names = "--can",
            paramLabel = "CAPABILITY",
            description =
                    "Only installed agents that had this capability when they were last started by acp agents, such "
                            + "as loadSession or promptCapabilities.image.")
    private @Nullable String capability;

    private record Row(
            AgentEntry entry,
            String source,
            boolean isHidden,
            @Nullable Pin pin,
            List<String> installed) {}

    /** Prints the agents that are chosen. */
    void print(Agents agents, RegistryOptions options, Streams streams, Predicate<AgentEntry> chosen)
            throws IOException, InterruptedException {
        Map<String, List<String>> here = agents.installations().stream()
                .collect(Collectors.groupingBy(
                        Installation::id,
                        TreeMap::new,
                        Collectors.mapping(Installation::version, Collectors.toList())));
        List<Row> rows = new ArrayList<>();
        List<String> seen = new ArrayList<>();
        for (Index index : options.indexes(agents, refresh, streams)) {
            for (AgentEntry entry : index.agents()) {
                boolean isHidden = seen.contains(entry.id());
                if (chosen.test(entry) && isWanted(agents, entry, here)) {
                    Pin pin = agents.pin(entry.id()).orElse(null);
                    rows.add(new Row(entry, index.source(), isHidden, pin, here.getOrDefault(entry.id(), List.of())));
                }
            }
            index.agents().forEach(entry -> seen.add(entry.id()));
        }
        here.keySet().removeAll(seen);
        warnOfVanished(agents, here, streams);
        if (options.json) {
            rows.forEach(row -> streams.out().json(json(row).toString()));
        } else {
            table(rows, streams);
        }
    }

    private boolean isWanted(Agents agents, AgentEntry entry, Map<String, List<String>> here) throws IOException {
        return (via == null
                        || entry.distributions().stream()
                                .anyMatch(each -> each.kind().id().equals(via)))
                && (license == null
                        || entry.license().filter(license::equalsIgnoreCase).isPresent())
                && (!installed || here.containsKey(entry.id()))
                && (capability == null || agents.hasCapability(entry.id(), capability));
    }

    private static void warnOfVanished(Agents agents, Map<String, List<String>> here, Streams streams)
            throws IOException {
        for (String id : here.keySet()) {
            if (agents.pin(id).isPresent()) {
                RegistryOptions.say(
                        streams, id + " is installed and no longer in the index: it may have been withdrawn");
            }
        }
    }

    private static void table(List<Row> rows, Streams streams) {
        int name = rows.stream().mapToInt(row -> row.entry.id().length()).max().orElse(0);
        int version = rows.stream()
                .mapToInt(row -> row.entry.version().length())
                .max()
                .orElse(0);
        boolean hasSources = rows.stream().map(Row::source).distinct().count() > 1;
        for (Row row : rows) {
            String mark = row.installed.isEmpty() ? "" : "installed " + String.join(", ", row.installed) + "; ";
            String pinned = row.pin == null ? "" : "pinned " + row.pin.version() + "; ";
            String hidden = row.isHidden ? "hidden by an earlier index; " : "";
            String source = hasSources ? " (" + row.source + ")" : "";
            String line = pad(row.entry.id(), name) + "  " + pad(row.entry.version(), version) + "  "
                    + pad(kinds(row.entry), 12) + "  " + mark + pinned + hidden
                    + row.entry.description() + source;
            streams.out()
                    .print(Wrap.cut(
                            Styles.plain(SafeText.line(line)),
                            streams.outDisplay().width(),
                            "…"));
        }
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static String kinds(AgentEntry entry) {
        return entry.distributions().stream()
                .map(Distribution::kind)
                .map(Distribution.Kind::id)
                .collect(Collectors.joining(" "));
    }

    private static JsonObject json(Row row) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", JsonString.of(row.entry.id()));
        members.put("name", JsonString.of(row.entry.name()));
        members.put("version", JsonString.of(row.entry.version()));
        members.put("description", JsonString.of(row.entry.description()));
        row.entry.license().ifPresent(text -> members.put("license", JsonString.of(text)));
        members.put("kinds", texts(List.of(kinds(row.entry).split(" "))));
        members.put("source", JsonString.of(row.source));
        members.put("hidden", new JsonBoolean(row.isHidden));
        members.put("installed", texts(row.installed));
        if (row.pin != null) {
            members.put("pinned", JsonString.of(row.pin.version()));
        }
        return JsonObject.of(members);
    }

    static JsonArray texts(List<String> texts) {
        return new JsonArray(texts.stream().<JsonValue>map(JsonString::of).toList());
    }
}
