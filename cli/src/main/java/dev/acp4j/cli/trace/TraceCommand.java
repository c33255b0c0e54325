package dev.acp4j.cli.trace;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.process.Launch;
import dev.acp4j.process.ProcessTree;
import dev.acp4j.redaction.Redaction;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code acp trace}: runs between an editor and an agent, and records their messages. */
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp trace [OPTIONS] -- COMMAND [ARGUMENT...]",
            "       acp trace [OPTIONS] NAME",
            "       acp trace show [OPTIONS] [FILE...]"
        },
        description = {
            "Records the messages between an editor and an agent.",
            "",
            "Runs in place of the agent: starts COMMAND, or the installed agent NAME, forwards standard input, standard output and standard error byte for byte, and ends with its exit "
                    + "code. All messages are written to a file, without secrets; 'acp trace show' shows them."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp trace -- gemini --acp",
            "  acp trace claude",
            "  acp trace show --follow",
            "",
            "In an editor's settings:",
            "  {\"command\": \"acp\", \"args\": [\"trace\", \"--\", \"gemini\", \"--acp\"]}",
            "",
            "Exit codes: that of COMMAND, 128 plus the number of the signal that ended it, and",
            "    1  there is no installed agent NAME",
            "    2  wrong command line",
            "    6  standard output could not be written",
            "  127  COMMAND could not be started",
            "  141  standard output was closed by its reader"
        })
public final class TraceCommand implements Callable<Integer> {
    private static final int NOT_STARTED = 127;

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE",
            description = "Write to this file, replacing it, or to a new file in this folder.")
    private @Nullable String output;

    @Option(
            names = "--names",
            paramLabel = "NAME",
            split = ",",
            description = "The names of the two ends; default: client,agent. Between proxies: client,proxy:0.")
    private List<String> names = List.of("client", "agent");

    @Option(names = "--keep-secrets", description = "Do not hide keys, tokens and passwords in the file.")
    private boolean keepSecrets;

    @Option(
            names = "--grace",
            paramLabel = "TIME",
            converter = Durations.class,
            defaultValue = "10s",
            description = "Timeout after which a silent agent is ended, from the end of standard input; default: 10s.")
    private Duration grace = Duration.ofSeconds(10);

    @Option(
            names = {"-q", "--quiet"},
            description = "Do not print the name of the file.")
    private boolean quiet;

    public TraceCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        if (names.size() != 2 || names.get(0).equals(names.get(1)) || names.contains("")) {
            throw new UsageException("expected two names such as --names client,proxy:0");
        }
        Launch launch = agent.launch("acp trace").inheritAll();
        ProcessTree tree;
        try {
            tree = launch.startTree();
        } catch (IOException e) {
            Failure.agent(SafeText.line(String.valueOf(e.getMessage()))).tell(streams);
            return NOT_STARTED;
        }
        Recorder recorder = new Recorder(
                names.get(0), names.get(1), why -> say("recording has stopped, the agent continues: " + why));
        Redaction redaction = keepSecrets ? Redaction.NONE : launch.redaction();
        recorder.begin(output, launch.commandLine(), redaction, file -> {
            if (!quiet) {
                say("recording to " + file + (keepSecrets ? ", secrets included" : ""));
            }
        });
        return new Relay(tree, recorder, this::say).run(grace);
    }

    private void say(String text) {
        streams.err().println("acp: " + SafeText.line(text));
    }
}
