package dev.acp4j.cli.agents;

import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.Streams;
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

    /** Returns the command with those below it. */
    public static CommandLine create(Streams streams, dev.acp4j.cli.command.AgentChoice agent) {
        return new CommandLine(new AgentsCommand())
                .addSubcommand(new ListCommand(streams))
                .addSubcommand(new SearchCommand(streams))
                .addSubcommand(new InfoCommand(streams))
                .addSubcommand(new AddCommand(streams))
                .addSubcommand(new UpdateCommand(streams))
                .addSubcommand(new LockCommand(streams))
                .addSubcommand(new VerifyCommand(streams))
                .addSubcommand(new RemoveCommand(streams))
                .addSubcommand(new PruneCommand(streams))
                .addSubcommand(new RollbackCommand(streams))
                .addSubcommand(new MirrorCommand(streams))
                .addSubcommand(new ManifestCommand(streams))
                .addSubcommand(new ValidateCommand(streams, agent))
                .addSubcommand(new SetCommand(streams));
    }

    @Override
    public void run() {
        throw new UsageException(
                "a command is missing: acp agents list, search, info, add, update, lock, verify, remove,"
                        + " prune, rollback, mirror, manifest, validate or set");
    }
}
