package dev.acp4j.cli.agent;

import dev.acp4j.Agent;
import dev.acp4j.Stdio;
import dev.acp4j.agent.ReferenceAgent;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Protocol;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code acp agent} with options; without options, {@link Acp} serves the agent directly. */
@Command(
        name = "agent",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Serves the built-in agent on standard input and output.",
            "",
            "The agent works offline and needs no key. It is started by an editor or another client: it "
                    + "reads and writes the protocol, one JSON message per line."
        },
        footerHeading = "%nExample, for an editor's settings:%n",
        footer = {
            "  {\"command\": \"acp\", \"args\": [\"agent\"]}",
            "",
            "Exit codes:",
            "    0  the client has closed the connection",
            "    1  standard input could not be read, or another error ended the connection",
            "    2  wrong command line",
            "    6  standard output could not be written"
        })
public final class AgentCommand implements Callable<Integer> {
    private final Streams streams;

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

    public AgentCommand(Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws InterruptedException {
        try (Recording recording = new Recording(trace, streams)) {
            Tracer tracer = recording.begin("acp agent");
            Transport stdio = Stdio.system();
            builtIn(protocol.versions()).serve(tracer == null ? stdio : tracer.watch(stdio, "agent", "client"));
            return ExitCode.END_OF_TURN.number();
        } catch (ConnectionClosedException e) {
            return ended(e, streams).number();
        }
    }

    /** Returns the built-in agent, whose sessions are kept in the state folder of the user. */
    public static Agent builtIn() {
        return ReferenceAgent.create(StateFolder.path().resolve("agent"));
    }

    private static Agent builtIn(dev.acp4j.schema.Version... versions) {
        return ReferenceAgent.create(StateFolder.path().resolve("agent"), versions);
    }

    /** Reports why serving failed. */
    public static ExitCode ended(ConnectionClosedException e, Streams streams) {
        if (e.getCause() instanceof IOException failure && failure.getCause() instanceof IOException ofOutput) {
            return unwritten(ofOutput, streams);
        }
        Failure failure = Failure.agent(SafeText.line(String.valueOf(e.getMessage())));
        failure.tell(streams);
        return failure.code();
    }

    /**
     * Reports why standard output cannot be written. A client that has gone is not a failure, although it misses the
     * rest.
     */
    static ExitCode unwritten(IOException e, Streams streams) {
        Failure failure = Failure.ofOutput(e);
        if (failure.code() == ExitCode.OUTPUT_UNREAD) {
            return ExitCode.END_OF_TURN;
        }
        failure.tell(streams);
        return failure.code();
    }
}
