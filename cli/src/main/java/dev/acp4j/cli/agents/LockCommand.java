package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.LockFile;
import dev.acp4j.registry.Pin;
import dev.acp4j.registry.Proposal;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents lock}. */
@Command(
        name = "lock",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Pins agents in the acp.lock of the project, which is begun beside .git, or else in this folder.",
            "",
            "The agents are installed here for it. With --all-platforms the archives of all platforms are fetched for "
                    + "their digests, so that the file installs the same bytes everywhere, without any index."
        })
final class LockCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(
            arity = "0..*",
            paramLabel = "NAME",
            description = "The names of agents; default: all that the file has already.")
    private List<String> names = List.of();

    @Option(names = "--all-platforms", description = "Pin the archives of all platforms.")
    private boolean allPlatforms;

    @Option(names = "--via", paramLabel = "KIND", description = "Pin what can be had by binary, npx or uvx.")
    private @Nullable String via;

    @Option(names = "--allow-unverified", description = "Pin what nothing verifies now, too.")
    private boolean allowUnverified;

    @Option(names = "--no-start", description = "Do not start the agents to see whether they answer.")
    private boolean noStart;

    LockCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        return options.with(agents -> {
            LockFile lock = agents.projectLockFile();
            List<String> wanted = names.isEmpty() ? List.copyOf(lock.pins().keySet()) : names;
            if (wanted.isEmpty()) {
                throw InstallDialog.noNames("acp agents lock NAME");
            }
            for (String name : wanted) {
                lock(agents, lock, name);
            }
            if (!options.quiet && !options.json) {
                streams.out().println("pinned in " + SafeText.line(lock.toString()) + ": " + String.join(", ", wanted));
            }
            return ExitCode.END_OF_TURN.number();
        });
    }

    private void lock(Agents agents, LockFile lock, String name) throws IOException, InterruptedException {
        Proposal proposal = agents.propose(name, AddCommand.kind(via), false);
        InstallDialog dialog = new InstallDialog(streams, agents, true, allowUnverified);
        ProgressOutput progress = new ProgressOutput(streams, options);
        Pin all = allPlatforms ? all(agents, proposal, dialog, progress) : proposal.pin();
        boolean isPinned = proposal.isPinned() && all.equals(proposal.pin());
        Proposal complete = new Proposal(all, proposal.present(), isPinned, proposal.isInstalled(), proposal.notices());
        Agents.Consent consent = dialog.consent(complete, false);
        dev.acp4j.registry.Installation installation = agents.install(complete, consent, lock, !noStart, progress);
        if (options.json) {
            streams.out().json(Receipts.json("pinned", installation).toString());
        }
    }

    private Pin all(Agents agents, Proposal proposal, InstallDialog dialog, ProgressOutput progress)
            throws IOException, InterruptedException {
        Pin whole = whole(agents, proposal);
        return agents.lockAll(whole, dialog.consentToAll(whole), progress);
    }

    /** A pin has only the platforms that were pinned; the index has all. */
    private Pin whole(Agents agents, Proposal proposal) throws IOException, InterruptedException {
        if (!proposal.isPinned()) {
            return proposal.pin();
        }
        Pin next = agents.propose(
                        proposal.pin().id(), proposal.pin().distribution().kind(), true)
                .pin();
        return next.version().equals(proposal.pin().version()) ? proposal.pin().completedBy(next) : proposal.pin();
    }
}
