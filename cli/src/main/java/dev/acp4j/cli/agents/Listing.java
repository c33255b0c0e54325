package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
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
import dev.acp4j.registry.Index;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.Pin;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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

    /** What is known of an agent: by the entry of an index, or else by its newest installation. */
    private record Row(
            String id,
            String name,
            String version,
            String description,
            @Nullable String license,
            List<String> kinds,
            String source,
            boolean isHidden,
            String text) {
        static Row of(AgentEntry entry, Index index, boolean isHidden) {
            String authors = entry.json().get("authors").map(Object::toString).orElse("");
            return new Row(
                    entry.id(),
                    entry.name(),
                    entry.version(),
                    entry.description(),
                    entry.license().orElse(null),
                    entry.distributions().stream().map(each -> each.kind().id()).toList(),
                    index.source(),
                    isHidden,
                    String.join("\n", entry.id(), entry.name(), entry.description(), authors));
        }

        static Row of(Installation installation) {
            Pin pin = installation.pin();
            return new Row(
                    pin.id(),
                    pin.id(),
                    pin.version(),
                    "not in an index that can be read",
                    pin.license(),
                    List.of(pin.distribution().kind().id()),
                    pin.source(),
                    false,
                    pin.id());
        }
    }

    /**
     * Prints the agents that are chosen.
     *
     * @param chosen what the texts about an agent must be
     * @return the exit code: that of a failure if an index could not be read that may have more of them
     */
    ExitCode print(Agents agents, RegistryOptions options, Streams streams, Predicate<String> chosen)
            throws IOException, InterruptedException {
        List<Installation> installations = agents.installations();
        Map<String, List<String>> here = installations.stream()
                .collect(Collectors.groupingBy(
                        Installation::id,
                        TreeMap::new,
                        Collectors.mapping(Installation::version, Collectors.toList())));
        List<Index> indexes = options.readable(agents, refresh, streams);
        boolean isComplete = indexes.size() == agents.settings().indexes().size();
        List<Row> rows = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (Index index : indexes) {
            index.agents().forEach(entry -> rows.add(Row.of(entry, index, seen.contains(entry.id()))));
            index.agents().forEach(entry -> seen.add(entry.id()));
        }
        for (Installation installation : installations) {
            if (seen.add(installation.id())) {
                rows.add(Row.of(installation));
                boolean isLeftOut = indexes.stream()
                        .anyMatch(index -> index.problem(installation.id()).isPresent());
                warnOfVanished(agents, installation.id(), isComplete && !isLeftOut, streams);
            }
        }
        for (Path folder : agents.damaged()) {
            RegistryOptions.say(streams, folder + " has no receipt that can be read, and is no installed agent");
        }
        rows.removeIf(row -> !chosen.test(row.text) || !isWanted(agents, row, here));
        if (options.json) {
            for (Row row : rows) {
                streams.out().json(json(row, here, pinned(agents, row)).toString());
            }
        } else {
            table(agents, rows, here, streams);
        }
        return isComplete || installed ? ExitCode.END_OF_TURN : ExitCode.AGENT_FAILED;
    }

    private boolean isWanted(Agents agents, Row row, Map<String, List<String>> here) {
        return (via == null || row.kinds.contains(via))
                && (license == null || license.equalsIgnoreCase(row.license))
                && (!installed || here.containsKey(row.id))
                && (capability == null || agents.hasCapability(row.id, capability));
    }

    private static void warnOfVanished(Agents agents, String id, boolean isNowhere, Streams streams)
            throws IOException {
        if (isNowhere && agents.pin(id).isPresent()) {
            RegistryOptions.say(streams, id + " is installed and no longer in the index: it may have been withdrawn");
        }
    }

    private static @Nullable String pinned(Agents agents, Row row) throws IOException {
        return agents.pin(row.id).map(Pin::version).orElse(null);
    }

    private static void table(Agents agents, List<Row> rows, Map<String, List<String>> here, Streams streams)
            throws IOException {
        int id = rows.stream().mapToInt(row -> row.id.length()).max().orElse(0);
        int version = rows.stream().mapToInt(row -> row.version.length()).max().orElse(0);
        boolean hasSources = rows.stream().map(Row::source).distinct().count() > 1;
        for (Row row : rows) {
            String mark = here.containsKey(row.id) ? "installed " + String.join(", ", versions(here, row)) + "; " : "";
            String pin = pinned(agents, row);
            String pinned = pin == null ? "" : "pinned " + pin + "; ";
            String hidden = row.isHidden ? "hidden by an earlier index; " : "";
            String source = hasSources ? " (" + row.source + ")" : "";
            String line = pad(row.id, id) + "  " + pad(row.version, version) + "  "
                    + pad(String.join(" ", row.kinds), 12) + "  " + mark + pinned + hidden
                    + row.description + source;
            streams.out()
                    .print(Wrap.cut(
                            Styles.plain(SafeText.line(line)),
                            streams.outDisplay().width(),
                            "…"));
        }
    }

    private static List<String> versions(Map<String, List<String>> here, Row row) {
        return here.getOrDefault(row.id, List.of());
    }

    private static String pad(String text, int width) {
        return text + " ".repeat(Math.max(0, width - text.length()));
    }

    private static JsonObject json(Row row, Map<String, List<String>> here, @Nullable String pinned) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", JsonString.of(row.id));
        members.put("name", JsonString.of(row.name));
        members.put("version", JsonString.of(row.version));
        members.put("description", JsonString.of(row.description));
        if (row.license != null) {
            members.put("license", JsonString.of(row.license));
        }
        members.put("kinds", texts(row.kinds));
        members.put("source", JsonString.of(row.source));
        members.put("hidden", new JsonBoolean(row.isHidden));
        members.put("installed", texts(versions(here, row)));
        if (pinned != null) {
            members.put("pinned", JsonString.of(pinned));
        }
        return JsonObject.of(members);
    }

    static JsonArray texts(List<String> texts) {
        return new JsonArray(texts.stream().<JsonValue>map(JsonString::of).toList());
    }
}
