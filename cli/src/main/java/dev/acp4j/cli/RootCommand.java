package dev.acp4j.cli;

import dev.acp4j.cli.command.Version;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code acp} alone. */
@Command(
        name = "acp",
        versionProvider = Version.class,
        mixinStandardHelpOptions = true,
        description = "Talks to coding agents through the Agent Client Protocol.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp chat                        chat with the built-in agent about this folder",
            "  acp chat -- gemini --acp        chat with another agent",
            "  acp prompt \"explain this code\"  ask once, print the answer",
            "  acp chat --continue             go on with the newest conversation in this folder",
            "  acp sessions                    list the conversations",
            "  acp login -- gemini --acp       log in with an agent",
            "  acp install-into zed            put the built-in agent, or another, into an editor",
            "  acp agent                       serve the built-in agent to an editor",
            "  acp trace -- gemini --acp       record the messages between an editor and an agent",
            "  acp doctor -- gemini --acp      diagnose an agent",
            "  acp translate --to 1 -- AGENT   serve an agent of version 2 to a client of version 1",
            "  acp connect https://HOST/acp    make a remote agent look like a local one",
            "  acp serve -- gemini --acp       serve an agent over HTTP",
            "  acp conduct -p PROXY -- AGENT   put proxies before an agent",
            "  acp proxy                       list the ready-made proxies",
            "  acp agents add claude           install an agent of the registry",
            "  acp chat claude                 chat with it",
            "  acp run claude                  start it for an editor",
            "  acp chat -- acp test-agent      try a client against a scripted agent",
            "",
            "'acp COMMAND --help' describes a command."
        })
final class RootCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public void run() {
        CommandLine line = spec.commandLine();
        throw new ParameterException(
                line, "a command is missing: " + CommandLines.names(line).replace(" and ", " or "));
    }
}
