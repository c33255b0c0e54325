package dev.acp4j.cli;

import dev.acp4j.Stdio;
import dev.acp4j.agent.ReferenceAgent;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;

/** {@code acp agent}, when it comes with options; without, {@link Acp} does not get here. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Serves the built-in agent on standard input and output.",
            "",
            "The agent works offline and needs no key. It is meant to be started by an editor or another client: what "
                    + "it reads and writes is the protocol, one JSON message a line."
        },
        footerHeading = "%nExample, for an editor's settings:%n",
        footer = {"  {\"command\": \"acp\", \"args\": [\"agent\"]}"})
final class AgentCommand implements Callable<Integer> {
    @Override
    public Integer call() throws InterruptedException {
        ReferenceAgent.create().serve(Stdio.system());
        return ExitCode.END_OF_TURN.number();
    }
}
