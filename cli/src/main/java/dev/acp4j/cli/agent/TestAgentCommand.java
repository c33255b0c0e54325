package dev.acp4j.cli.agent;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Protocol;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.StandardStream;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.Misbehaviour;
import dev.acp4j.testkit.TestAgent;
import dev.acp4j.trace.Tracer;
import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.Locale;
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
            "Serves a deterministic agent, scripted by the prompt, on standard input and output.",
            "",
            "Use it to try and test clients. Each line of a prompt is a command; 'help' lists "
                    + "them: there is one for each kind of update and content, for each request to the client, and for "
                    + "each way to end a turn.",
            "",
            "With --misbehave it is a faulty agent instead, to show how a client handles faults of agents."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp prompt all -- acp test-agent                all of its commands, once",
            "  acp prompt 'ask Edit' -- acp test-agent         a question for permission",
            "  acp chat -- acp test-agent --misbehave noise    an agent that prints text that is not a message",
            "  {\"command\": \"acp\", \"args\": [\"test-agent\"]}      in an editor's settings",
            "",
            "Exit codes:",
            "    0  the client has closed the connection, or the names were listed",
            "    2  wrong command line, or unknown name of a misbehaviour",
            "    6  standard output could not be written",
            "  141  standard output was closed before all names were listed"
        })
public final class TestAgentCommand implements Callable<Integer> {
    private final Streams streams;

    @Option(names = "--login", description = "Open no session before the client has authenticated.")
    private boolean login;

    @Option(
            names = "--protocol",
            paramLabel = Protocol.LABEL,
            defaultValue = "auto",
            converter = Protocol.Converter.class,
            description = "The versions of the protocol to speak; default: auto, the one that the client asks for.")
    private Protocol protocol = Protocol.AUTO;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Record all messages, without secrets; 'acp trace show FILE' shows them.")
    private @Nullable String trace;

    @Option(
            names = "--misbehave",
            paramLabel = "NAME",
            description = "Be a faulty agent with the misbehaviour of this name.")
    private @Nullable String misbehave;

    @Option(
            names = "--misbehaviours",
            description = "List the misbehaviours: name, behaviour, and how a good client reacts.")
    private boolean misbehaviours;

    public TestAgentCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (misbehaviours) {
            list(streams.out());
            return ExitCode.END_OF_TURN.number();
        }
        try {
            if (misbehave == null) {
                serve();
            } else {
                misbehave(misbehave);
            }
            return ExitCode.END_OF_TURN.number();
        } catch (ConnectionClosedException e) {
            return AgentCommand.ended(e, streams).number();
        } catch (IOException e) {
            return AgentCommand.unwritten(e, streams).number();
        }
    }

    private static void list(StandardStream out) {
        for (Misbehaviour each : Misbehaviour.agents()) {
            out.println(String.format(
                    Locale.ROOT, "%-30s%s (%s)", each.name(), each.description(), reaction(each.reaction())));
        }
    }

    private static String reaction(Misbehaviour.Reaction reaction) {
        return switch (reaction) {
            case GOES_ON -> "the client continues";
            case REQUEST_FAILS -> "the request fails, the next one works";
            case CALLER_GIVES_UP -> "the request waits until its caller cancels it";
            case ENDS -> "the connection ends";
        };
    }

    private void misbehave(String name) throws IOException {
        if (login || trace != null) {
            throw new UsageException("--misbehave cannot be combined with --login or --trace; to record it: "
                    + "acp trace -- acp test-agent --misbehave " + name);
        }
        Misbehaviour bad = Misbehaviour.agent(name)
                .orElseThrow(() -> new UsageException("unknown misbehaviour '" + SafeText.line(name)
                        + "'; 'acp test-agent --misbehaviours' lists the names"));
        bad.play(new FileInputStream(FileDescriptor.in), new FileOutputStream(FileDescriptor.out));
    }

    private void serve() throws InterruptedException {
        try (Recording recording = new Recording(trace, streams)) {
            Tracer tracer = recording.begin("acp test-agent");
            Transport stdio = Stdio.system();
            Agent.Builder builder = login ? TestAgent.requiringLogin() : TestAgent.builder();
            Agent agent = builder.protocol(protocol.versions()).build();
            agent.serve(tracer == null ? stdio : tracer.watch(stdio, "agent", "client"));
        }
    }
}
