package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.LockFile;
import dev.acp4j.registry.Proposal;
import java.io.IOException;
import java.util.ArrayList;
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

    @Option(
            names = "--allow-other-host",
            description = "Accept another package or host under an id that the user has, which gets the variables of "
                    + "'set'.")
    private boolean allowOtherHost;

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
            List<String> pinned = new ArrayList<>();
            ExitCode code = EachAgent.of(wanted, streams, name -> {
                lock(agents, lock, name);
                return pinned.add(name);
            });
            if (!pinned.isEmpty() && !options.quiet && !options.json) {
                streams.out().println("pinned in " + SafeText.line(lock.toString()) + ": " + String.join(", ", pinned));
            }
            return code.number();
        });
    }

    private void lock(Agents agents, LockFile lock, String name) throws IOException, InterruptedException {
        Distribution.Kind kind = AddCommand.kind(via);
        ProgressOutput progress = new ProgressOutput(streams, options);
        Proposal proposal = allPlatforms ? agents.proposeAll(name, kind) : agents.propose(name, kind, false);
        InstallDialog dialog = new InstallDialog(streams, agents, true, allowUnverified);
        if (!allowOtherHost) {
            dialog.consentToOrigin(proposal.pin(), "acp agents lock");
        }
        Agents.Consent consent = dialog.consent(proposal, false);
        Proposal complete = allPlatforms ? agents.lockAll(proposal, consent, progress) : proposal;
        Installation installation = agents.install(complete, consent, lock, !noStart, progress);
        if (options.json) {
            streams.out().json(Receipts.json("pinned", installation).toString());
        }
    }
}
