package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.registry.AgentEntry;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Index;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.LockFile;
import dev.acp4j.registry.Pin;
import dev.acp4j.registry.Platform;
import dev.acp4j.registry.Proposal;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents update}. */
@Command(
        name = "update",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Shows what the index has instead of what is pinned, asks, installs it and pins it.",
            "",
            "The new version must answer 'initialize' before it takes the place of the old one, which stays installed: "
                    + "'acp agents rollback' goes back. Sessions that run keep their files."
        })
final class UpdateCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "The names of agents; default: all that are pinned.")
    private List<String> names = List.of();

    @Option(
            names = {"-y", "--yes"},
            description = "Do not ask, unless the package or the host has changed.")
    private boolean yes;

    @Option(
            names = "--allow-other-host",
            description = "Accept another package or host under the same id, which gets the variables of 'set'.")
    private boolean allowOtherHost;

    @Option(names = "--allow-lower", description = "Take a version that is lower than the one that is pinned, too.")
    private boolean allowLower;

    @Option(names = "--allow-unverified", description = "Install what nothing verifies, too.")
    private boolean allowUnverified;

    @Option(names = "--dry-run", description = "Show what would change, and change nothing.")
    private boolean dryRun;

    UpdateCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            List<Index> indexes = options.indexes(agents, false, streams);
            List<String> wanted =
                    names.isEmpty() ? List.copyOf(agents.lockFile().pins().keySet()) : names;
            if (wanted.isEmpty()) {
                RegistryOptions.say(streams, "nothing is pinned in " + agents.lockFile());
            }
            return EachAgent.of(wanted, streams, name -> {
                        String id = agents.knownId(name);
                        if (indexes.stream().noneMatch(index -> index.agent(id).isPresent())) {
                            vanished(agents, indexes, id);
                            return false;
                        }
                        update(agents, agents.lockFile(id), id);
                        return true;
                    })
                    .number();
        });
    }

    private void vanished(Agents agents, List<Index> indexes, String id) throws IOException {
        String problem = indexes.stream()
                .flatMap(index -> index.problem(id).stream())
                .findFirst()
                .orElse(null);
        if (problem != null) {
            RegistryOptions.say(
                    streams, "the entry of " + id + " cannot be used: " + problem + ". The installed version is kept");
            return;
        }
        String repository = agents.pin(id).map(Pin::repository).orElse(null);
        StringBuilder hint = new StringBuilder();
        for (Index index : indexes) {
            for (AgentEntry entry : index.agents()) {
                if (repository != null && repository.equals(entry.repository().orElse(null))) {
                    hint.append("; ").append(entry.id()).append(" has the same repository");
                }
            }
        }
        RegistryOptions.say(
                streams,
                id + " is not in the index any more: it may have been renamed or withdrawn" + hint
                        + ". The installed version is kept");
    }

    private void update(Agents agents, LockFile lock, String id) throws IOException, InterruptedException {
        Pin present = agents.pin(id).orElse(null);
        Distribution.Kind kind = present == null ? null : present.distribution().kind();
        Proposal proposal = propose(agents, id, kind);
        Pin next = proposal.pin();
        InstallDialog dialog = new InstallDialog(streams, agents, yes, allowUnverified);
        if (present != null && same(dialog, present, next)) {
            say(id + " " + present.version() + " is the newest", "newest", present, next);
            return;
        }
        if (present != null && proposal.isLower() && !allowLower) {
            String lower = id + " " + present.version() + " is pinned, and the index has the lower version "
                    + next.version() + ". To take that: acp agents update --allow-lower " + id;
            say(lower, "lower", present, next);
            return;
        }
        say(changes(dialog, present, next), "update", present, next);
        if (dryRun) {
            return;
        }
        if (!allowOtherHost) {
            dialog.consentToOrigin(proposal);
        }
        Agents.Consent consent = dialog.consent(proposal, true);
        Installation installation = agents.install(proposal, consent, lock, true, new ProgressOutput(streams, options));
        if (options.json) {
            streams.out().json(Receipts.json("updated", installation).toString());
        } else {
            streams.out().println(id + " " + installation.version() + " is installed and pinned");
        }
    }

    /** The kind that was chosen once stays, as long as the agent has it. */
    private static Proposal propose(Agents agents, String id, Distribution.@Nullable Kind kind)
            throws IOException, InterruptedException {
        if (kind != null) {
            for (Index index : agents.indexes(false)) {
                AgentEntry entry = index.agent(id).orElse(null);
                if (entry != null) {
                    return agents.propose(id, entry.distribution(kind).isPresent() ? kind : null, true);
                }
            }
        }
        return agents.propose(id, null, true);
    }

    /** A pin of the same version may lack this platform. */
    private static boolean same(InstallDialog dialog, Pin present, Pin next) {
        return present.version().equals(next.version())
                && present.distribution().kind() == next.distribution().kind()
                && (dialog.archive(present) == null) == (dialog.archive(next) == null);
    }

    private static String changes(InstallDialog dialog, @Nullable Pin present, Pin next) {
        StringBuilder text = new StringBuilder(next.id());
        change(text, "version", present == null ? "none" : present.version(), next.version());
        change(text, "from", present == null ? "none" : dialog.origin(present), dialog.origin(next));
        change(
                text,
                "kind",
                present == null ? "none" : present.distribution().kind().id(),
                next.distribution().kind().id());
        change(text, "platforms", present == null ? "none" : platforms(present), platforms(next));
        change(text, "licence", present == null ? "none" : present.license(), next.license());
        change(text, "arguments", present == null ? "none" : args(dialog, present), args(dialog, next));
        change(text, "variables", present == null ? "none" : env(dialog, present), env(dialog, next));
        return text.toString();
    }

    private static void change(StringBuilder text, String what, @Nullable String before, @Nullable String now) {
        String old = Objects.requireNonNullElse(before, "not said");
        String changed = Objects.requireNonNullElse(now, "not said");
        text.append("\n  ").append(what).append(' ').append(old);
        if (!old.equals(changed)) {
            text.append(" -> ").append(changed);
        }
    }

    private static String platforms(Pin pin) {
        return pin.distribution() instanceof Distribution.Packaged
                ? "all"
                : String.join(", ", pin.platforms().stream().map(Platform::id).toList());
    }

    private static String args(InstallDialog dialog, Pin pin) {
        Distribution.Archive archive = dialog.archive(pin);
        List<String> args = pin.distribution() instanceof Distribution.Packaged each
                ? each.args()
                : archive == null ? List.<String>of() : archive.args();
        return args.isEmpty() ? "none" : String.join(" ", args);
    }

    private static String env(InstallDialog dialog, Pin pin) {
        Distribution.Archive archive = dialog.archive(pin);
        Map<String, String> env = pin.distribution() instanceof Distribution.Packaged each
                ? each.env()
                : archive == null ? Map.<String, String>of() : archive.env();
        return env.isEmpty() ? "none" : String.join(" ", env.keySet());
    }

    private void say(String text, String event, @Nullable Pin present, Pin next) {
        if (!options.json) {
            text.lines().forEach(line -> streams.out().println(SafeText.indented(line)));
            return;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("event", JsonString.of(event));
        members.put("id", JsonString.of(next.id()));
        if (present != null) {
            members.put("from", JsonString.of(present.version()));
        }
        members.put("to", JsonString.of(next.version()));
        streams.out().json(JsonObject.of(members).toString());
    }
}
