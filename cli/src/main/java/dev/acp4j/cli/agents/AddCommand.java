package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.Agents;
import dev.acp4j.registry.Distribution;
import dev.acp4j.registry.Installation;
import dev.acp4j.registry.LockFile;
import dev.acp4j.registry.Proposal;
import dev.acp4j.registry.RegistryException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp agents add}. */
@Command(
        name = "add",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Installs agents and pins them: in the acp.lock of the project if there is one, else in that of the user.",
            "",
            "An agent that is pinned already is installed as it is pinned. Without NAME, all agents of the acp.lock of the "
                    + "project are installed. 'acp agents lock' begins the acp.lock of a project."
        })
final class AddCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final RegistryOptions options = new RegistryOptions();

    @Parameters(arity = "0..*", paramLabel = "NAME[@VERSION]", description = "The names of agents.")
    private List<String> names = List.of();

    @Option(
            names = "--via",
            paramLabel = "KIND",
            description = "Get it by binary, npx or uvx; default: the first of these that it has for this platform.")
    private @Nullable String via;

    @Option(
            names = "--frozen",
            description =
                    "Install what acp.lock pins and nothing else: what is not in it is an error, and it is not changed.")
    private boolean frozen;

    @Option(
            names = "--allow-unverified",
            description = "Install what nothing verifies, too: its digest is pinned from then on.")
    private boolean allowUnverified;

    @Option(
            names = "--allow-other-host",
            description = "Accept another package or host under an id that the user has, which gets the variables of "
                    + "'set'.")
    private boolean allowOtherHost;

    @Option(names = "--user", description = "Pin them for the user, also in a project: editors start agents elsewhere.")
    private boolean forUser;

    @Option(names = "--no-start", description = "Do not start it to see whether it answers.")
    private boolean noStart;

    AddCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        // The home folder is in no project.
        Path folder = forUser ? Path.of(System.getProperty("user.home", "")) : Path.of("");
        return options.with(folder, agents -> {
            LockFile lock = agents.lockFile();
            List<String> wanted = names.isEmpty() ? List.copyOf(lock.pins().keySet()) : names;
            if (names.isEmpty() && !lock.isOfProject()) {
                throw InstallDialog.noNames("acp agents add NAME");
            }
            return EachAgent.of(wanted, streams, name -> {
                        add(agents, lock, name);
                        return true;
                    })
                    .number();
        });
    }

    private void add(Agents agents, LockFile lock, String name) throws IOException, InterruptedException {
        Proposal proposal = agents.propose(name, kind(via), false);
        String id = proposal.pin().id();
        if (!name.equals(id) && !name.startsWith(id + "@")) {
            RegistryOptions.say(streams, name + " is " + id);
        }
        if (frozen && !proposal.pin().equals(lock.pin(id).orElse(null))) {
            throw new RegistryException(name + " is not pinned in " + lock + ", and --frozen installs nothing else");
        }
        InstallDialog dialog = new InstallDialog(streams, agents, true, allowUnverified);
        dialog.consentToLock(proposal, allowOtherHost);
        Agents.Consent consent = dialog.consent(proposal, false);
        Installation installation =
                agents.install(proposal, consent, lock, !noStart, new ProgressOutput(streams, options));
        if (options.json) {
            streams.out().json(Receipts.json("installed", installation).toString());
        } else if (!options.quiet) {
            streams.out()
                    .println(id + " " + installation.version() + " is installed, and pinned in "
                            + SafeText.line(lock.toString()));
        }
    }

    static Distribution.@Nullable Kind kind(@Nullable String via) {
        return via == null
                ? null
                : Distribution.Kind.named(via)
                        .orElseThrow(() -> new UsageException(
                                "expected --via binary, npx or uvx, got --via " + SafeText.line(via)));
    }
}
