package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Subcommands;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code acp agents}: the commands about agents by name. */
@Command(
        name = "agents",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "Finds, installs and pins agents by their name, from the ACP registry or an index of your own.",
            "",
            "A name is an id, a well-known short name such as claude, or the only beginning of an id. Nothing is "
                    + "installed or updated unasked; acp.lock pins what runs, byte for byte."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp agents search claude",
            "  acp agents add claude",
            "  acp chat claude",
            "  acp agents lock --all-platforms claude",
            "  acp agents add --frozen",
            "",
            "docs/agents.md describes agents by name, their settings and mirrors.",
            "",
            "Exit codes:",
            "    0  done",
            "    1  something could not be fetched, was not allowed, or was not wanted",
            "    2  wrong command line, or no or several agents with that name",
            "    6  standard output could not be written",
            "    7  problems were found, by verify and validate",
            "  130  interrupted"
        })
public final class AgentsCommand implements Runnable {
    private AgentsCommand() {}

    /**
     * Returns the command with those below it.
     *
     * @param args the command line, which begins with the name of this command
     */
    public static CommandLine create(Streams streams, AgentChoice agent, List<String> args) {
        return new Subcommands()
                .add("list", () -> new ListCommand(streams))
                .add("search", () -> new SearchCommand(streams))
                .add("info", () -> new InfoCommand(streams))
                .add("add", () -> new AddCommand(streams))
                .add("update", () -> new UpdateCommand(streams))
                .add("lock", () -> new LockCommand(streams))
                .add("verify", () -> new VerifyCommand(streams))
                .add("remove", () -> new RemoveCommand(streams))
                .add("prune", () -> new PruneCommand(streams))
                .add("rollback", () -> new RollbackCommand(streams))
                .add("mirror", () -> new MirrorCommand(streams))
                .add("manifest", () -> new ManifestCommand(streams))
                .add("validate", () -> new ValidateCommand(streams, agent))
                .add("set", () -> new SetCommand(streams))
                .below(new CommandLine(new AgentsCommand()), args, 1);
    }

    @Override
    public void run() {
        throw new UsageException(
                "a command is missing: acp agents list, search, info, add, update, lock, verify, remove,"
                        + " prune, rollback, mirror, manifest, validate or set");
    }
}
