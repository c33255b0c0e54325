package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.AgentEntry;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Index;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.Pin;
import dev.acp4j.registry.RegistryException;
import dev.acp4j.registry.UnknownAgentException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code acp agents info}. */
@Command(
        name = "info",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Shows what is known of an agent: its entry, its pin, what is installed, and what would be run.")
final class InfoCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(index = "0", paramLabel = "NAME", description = "The name of the agent.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String name;

    InfoCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            List<Index> indexes = options.readable(agents, false, streams);
            String id = id(agents, indexes);
            Map<String, JsonValue> facts = facts(agents, indexes, id);
            if (options.json) {
                streams.out().json(JsonObject.of(facts).toString());
            } else {
                facts.forEach(this::print);
            }
            return ExitCode.END_OF_TURN.number();
        });
    }

    private String id(Agents agents, List<Index> indexes) throws IOException {
        String id;
        try {
            id = Agents.id(name, indexes);
        } catch (UnknownAgentException e) {
            try {
                id = agents.knownId(name);
            } catch (UnknownAgentException none) {
                throw e;
            }
        }
        if (!id.equals(name)) {
            RegistryOptions.say(streams, name + " is " + id);
        }
        return id;
    }

    private Map<String, JsonValue> facts(Agents agents, List<Index> indexes, String id) throws IOException {
        Map<String, JsonValue> facts = new LinkedHashMap<>();
        facts.put("id", JsonString.of(id));
        AgentEntry entry = null;
        for (Index index : indexes) {
            AgentEntry here = index.agent(id).orElse(null);
            if (here != null && entry == null) {
                entry = here;
                facts.put("source", JsonString.of(index.source()));
            }
        }
        if (entry != null) {
            about(entry, facts);
        }
        Pin pin = agents.pin(id).orElse(null);
        if (pin != null) {
            facts.put("pinned", JsonString.of(pin.version()));
            facts.put("lock", JsonString.of(agents.lockFile(id).toString()));
        }
        List<JsonValue> installed = new ArrayList<>();
        for (Installation each : agents.installations()) {
            if (each.id().equals(id)) {
                installed.add(about(each));
            }
        }
        facts.put("installed", new JsonArray(installed));
        start(agents, id, facts);
        facts.put("logins", new JsonArray(List.copyOf(agents.logins(id))));
        return facts;
    }

    private static void about(AgentEntry entry, Map<String, JsonValue> facts) {
        facts.put("name", JsonString.of(entry.name()));
        facts.put("version", JsonString.of(entry.version()));
        facts.put("description", JsonString.of(entry.description()));
        for (String member : List.of("license", "license_url", "repository", "website", "icon")) {
            entry.json().get(member).ifPresent(value -> facts.put(member, value));
        }
        Map<String, JsonValue> kinds = new LinkedHashMap<>();
        for (Distribution distribution : entry.distributions()) {
            kinds.put(distribution.kind().id(), about(distribution));
        }
        facts.put("distribution", JsonObject.of(kinds));
    }

    private static JsonValue about(Distribution distribution) {
        return switch (distribution) {
            case Distribution.Packaged each -> {
                Map<String, JsonValue> members = new LinkedHashMap<>();
                members.put("package", JsonString.of(each.text()));
                putStart(members, each.args(), each.env());
                yield members.size() == 1 ? JsonString.of(each.text()) : JsonObject.of(members);
            }
            case Distribution.Binary binary -> {
                Map<String, JsonValue> platforms = new LinkedHashMap<>();
                binary.archives().forEach((platform, archive) -> platforms.put(platform.id(), about(archive)));
                yield JsonObject.of(platforms);
            }
        };
    }

    /** What the entry would start the agent with; see {@link Agents#refusedVariables} for what is not set of it. */
    private static void putStart(Map<String, JsonValue> members, List<String> args, Map<String, String> env) {
        if (!args.isEmpty()) {
            members.put("args", Listing.texts(args));
        }
        if (!env.isEmpty()) {
            members.put("env", Listing.texts(env.keySet().stream().sorted().toList()));
        }
    }

    private static JsonObject about(Distribution.Archive archive) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("archive", JsonString.of(archive.uri().toString()));
        members.put("cmd", JsonString.of(archive.command()));
        putStart(members, archive.args(), archive.env());
        String sha256 = archive.sha256();
        members.put("sha256", JsonString.of(sha256 == null ? "none" : sha256));
        if (archive.size() >= 0) {
            members.put("size", JsonNumber.of(archive.size()));
        }
        return JsonObject.of(members);
    }

    private static JsonObject about(Installation installation) throws IOException {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("version", JsonString.of(installation.version()));
        members.put("folder", JsonString.of(installation.folder().toString()));
        members.put("size", JsonNumber.of(installation.size()));
        return JsonObject.of(members);
    }

    private static void start(Agents agents, String id, Map<String, JsonValue> facts) throws IOException {
        Installation found = installation(agents, id);
        if (found != null) {
            facts.put("command", JsonString.of(agents.commandLine(found)));
            facts.put(
                    "sets", Listing.texts(found.env().keySet().stream().sorted().toList()));
            facts.put("refused", Listing.texts(Agents.refusedVariables(found)));
        }
        Map<String, JsonValue> variables = new LinkedHashMap<>();
        agents.variables(id).forEach((variable, source) -> variables.put(variable, JsonString.of(source)));
        facts.put("variables", JsonObject.of(variables));
    }

    private static @Nullable Installation installation(Agents agents, String id) throws IOException {
        try {
            return agents.installation(id);
        } catch (RegistryException e) {
            return null;
        }
    }

    private void print(String fact, JsonValue value) {
        String text = text(value);
        if (!text.isEmpty()) {
            streams.out().println(fact + " ".repeat(Math.max(1, 14 - fact.length())) + SafeText.line(text));
        }
    }

    private static String text(JsonValue value) {
        return switch (value) {
            case JsonString string -> string.value();
            case JsonArray array ->
                String.join(
                        "; ", array.elements().stream().map(InfoCommand::text).toList());
            case JsonObject object ->
                String.join(
                        ", ",
                        object.members().entrySet().stream()
                                .map(member -> member.getKey() + " " + text(member.getValue()))
                                .toList());
            default -> value.toString();
        };
    }
}
