package dev.acp4j.cli;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.TestAgent;
import dev.acp4j.trace.Tracer;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code acp test-agent}. */
@Command(
        name = "test-agent",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Serves an agent that does what the prompt says, the same way each time, on standard input and output.",
            "",
            "It is meant for trying and testing clients. Each line of a prompt is a command, and the prompt 'help' lists "
                    + "them: there is one for each kind of update and content, for each request to the client, and for "
                    + "each way to end a turn."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp prompt all -- acp test-agent           everything that it can do, once",
            "  acp prompt 'ask Edit' -- acp test-agent    a question for permission",
            "  {\"command\": \"acp\", \"args\": [\"test-agent\"]}    in an editor's settings"
        })
final class TestAgentCommand implements Callable<Integer> {
    private final Streams streams;

    @Option(names = "--login", description = "Open no session before the client has authenticated.")
    private boolean login;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Record what is said, without secrets; 'acp trace show FILE' shows it.")
    private @Nullable String trace;

    TestAgentCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (Recording recording = new Recording(trace, streams)) {
            Tracer tracer = recording.begin("acp test-agent");
            Transport stdio = Stdio.system();
            Agent agent = login ? TestAgent.requiringLogin().build() : TestAgent.create();
            agent.serve(tracer == null ? stdio : tracer.watch(stdio, "agent", "client"));
            return ExitCode.END_OF_TURN.number();
        }
    }
}
