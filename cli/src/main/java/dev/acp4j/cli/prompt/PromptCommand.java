package dev.acp4j.cli.prompt;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.Streams;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp prompt}: one turn, for scripts and for people in a hurry. */
@Command(
        name = "prompt",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = "acp prompt [OPTIONS] TEXT... [-- COMMAND [ARGUMENT...]]",
        description = {
            "Asks an agent once, prints its answer and ends.",
            "",
            "At a terminal, what the agent does on the way is shown as well. Otherwise standard output gets the answer "
                    + "and nothing else, and standard error what was done."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp prompt \"where is the retry logic?\"",
            "  git diff | acp prompt \"review this change\" - -- claude-agent-acp",
            "  acp prompt --file report.csv \"sum it up\" > summary.md",
            "  acp prompt --json --permissions deny \"fix the tests\" | jq -r 'select(.type==\"tool_call\").title'",
            "",
            "Exit codes:",
            "    0  the agent ended its turn",
            "    1  the agent could not be started, died, did not answer, or answered with an error",
            "    2  wrong command line, or a file or folder that is not there",
            "    3  the agent refused to go on",
            "    4  the agent reached its limit of tokens or of model requests",
            "    5  the agent asked for a permission that nobody was there to give",
            "    6  standard output could not be written",
            "  124  the time of --timeout was over",
            "  130  the turn was cancelled",
            "  141  nobody read standard output any more"
        })
public final class PromptCommand implements Callable<Integer> {
    private final Streams streams;
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Parameters(paramLabel = "TEXT", description = "What to ask; - stands for standard input.")
    private final List<String> words = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description =
                    "Attach a file: its content if the agent takes that, else a link. May be given several times.")
    private final List<String> files = new ArrayList<>();

    @Option(
            names = {"-q", "--quiet"},
            description = "Show nothing but the answer.")
    private boolean quiet;

    @Option(names = "--json", description = "Print what happens as one JSON object a line.")
    private boolean json;

    @Option(
            names = "--permissions",
            paramLabel = "HOW",
            converter = PermissionRule.Reader.class,
            description =
                    "When the agent asks for a permission: ask me, allow it, deny it and go on, or fail: deny it, "
                            + "cancel, and end with 5. With deny and fail it may read files here, but neither write them nor "
                            + "run commands. HOW is ask, allow, deny or fail; ask at a terminal and fail elsewhere, if not given.")
    private @Nullable PermissionRule permissions;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Cancel when it takes longer than this: 90s, 5m, 1h.")
    private @Nullable Duration timeout;

    public PromptCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        Deadline deadline = new Deadline(timeout);
        Path cwd = options.folder();
        boolean canAsk = streams.hasPerson() && !json;
        PermissionRule how = rule(canAsk);
        PromptInput input;
        try {
            input = PromptInput.read(words, files, streams.in(), streams.charset(), deadline);
        } catch (TimeoutException e) {
            return ended(Failure.late("standard input did not end", deadline, List.of()));
        }
        try (Recording recording = new Recording(options.trace, streams);
                UserInterface ui = UserInterface.ofPrompt(streams, cwd, canAsk)) {
            TurnOutput output = json ? new JsonOutput(streams) : ScreenOutput.of(streams, ui.renderer(), quiet);
            Interruption interruption = new Interruption(() -> {});
            ui.onInterrupt(interruption::press);
            streams.out().onFailure(interruption::leave);
            SessionOpener opener =
                    new SessionOpener(options, agent, cwd, ui.filesAndTerminals(), how.permitsNothing(), recording);
            return new PromptRun(opener, output, interruption)
                    .run(input, how, ui.dialog(), deadline)
                    .number();
        }
    }

    private PermissionRule rule(boolean canAsk) {
        if (permissions == null) {
            return canAsk ? PermissionRule.ASK : PermissionRule.FAIL;
        }
        if (permissions == PermissionRule.ASK && !canAsk) {
            throw new UsageException(
                    json
                            ? "--permissions ask and --json do not go together"
                            : "--permissions ask needs a terminal; use allow, deny or fail");
        }
        return permissions;
    }

    /** Tells a failure that comes before there is anything else to show. */
    private int ended(Failure failure) {
        if (json) {
            new JsonOutput(streams).failed(failure);
        } else {
            failure.tell(streams);
        }
        return failure.code().number();
    }
}
