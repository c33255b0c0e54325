package dev.acp4j.cli.translate;

import dev.acp4j.Stdio;
import dev.acp4j.Translator;
import dev.acp4j.cli.agent.AgentCommand;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.CommandFailedException;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp translate}: an agent of one version behind a client of the other. */
@Command(
        name = "translate",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp translate --to 1|2|auto [-v] [--trace FILE] {NAME | -- COMMAND}",
        description = {
            "Serves an agent to a client that speaks another version of the protocol.",
            "",
            "Starts the agent and speaks the other version with it: with --to 1 the client may be old and the agent "
                    + "speak version 2 only, with --to 2 the reverse. With --to auto the client gets the version that it asks "
                    + "for, and an agent that speaks it is not translated. It reads and writes the protocol, one JSON message "
                    + "per line, so an editor starts it in the place of the agent. The agent gets all variables of the "
                    + "environment."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp translate --to 1 -- my-agent-of-version-2",
            "  acp chat --protocol 2 -- acp translate --to 2 -- gemini --acp",
            "  {\"command\": \"acp\", \"args\": [\"translate\", \"--to\", \"1\", \"--\", \"my-agent\"]}",
            "",
            "docs/versions.md lists what one version cannot say, and what happens then.",
            "",
            "Exit codes:",
            "    0  the client has closed the connection",
            "    1  the agent could not be started, died, or does not speak the other version",
            "    2  wrong command line",
            "    6  standard output could not be written"
        })
public final class TranslateCommand implements Callable<Integer> {
    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "1|2|auto",
            description = "The version that the client speaks; the agent is asked for the other. auto: what the client "
                    + "asks for, and translate only if the agent does not speak it.")
    @SuppressWarnings("NullAway.Init") // set by picocli
    private String to;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description = "Record the messages between the client and here, without secrets.")
    private @Nullable String trace;

    @Option(
            names = {"-v", "--verbose"},
            description = "Print what the connections survive, such as invalid messages, on standard error.")
    private boolean verbose;

    public TranslateCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        dev.acp4j.schema.Version served = to.equals("auto") ? null : version();
        Launch launch = agent.launch("acp translate --to " + to)
                .inheritAll()
                .onStderr(line -> streams.err().println(line));
        try (Recording recording = new Recording(trace, streams)) {
            Tracer tracer = recording.begin(launch.commandLine());
            Transport stdio = Stdio.system();
            Transport client = tracer == null ? stdio : tracer.watch(stdio, "agent", "client");
            if (served == null) {
                new AnyVersion(client, launch, this::report).serve();
            } else {
                Translator.serve(client, served, builder -> builder.build().connect(launch), this::report);
            }
            return ExitCode.END_OF_TURN.number();
        } catch (IOException e) {
            throw new CommandFailedException(Failure.agent(SafeText.line(String.valueOf(e.getMessage()))));
        } catch (ConnectionClosedException e) {
            return AgentCommand.ended(e, streams).number();
        }
    }

    private dev.acp4j.schema.Version version() {
        return switch (to) {
            case "1" -> dev.acp4j.schema.Version.V1;
            case "2" -> dev.acp4j.schema.Version.V2;
            default -> throw new UsageException("expected --to 1, --to 2 or --to auto, got --to " + SafeText.line(to));
        };
    }

    private void report(Problem problem) {
        if (verbose) {
            streams.err().println("acp: " + SafeText.line(problem.detail()));
        }
    }
}
