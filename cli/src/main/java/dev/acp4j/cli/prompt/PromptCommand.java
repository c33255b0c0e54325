package dev.acp4j.cli.prompt;

import dev.acp4j.cli.agents.InstallOffer;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.OpeningOptions;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.session.Interruption;
import dev.acp4j.cli.session.SessionOpener;
import dev.acp4j.cli.session.UserInterface;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.registry.AgentEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
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

/** {@code acp prompt}: one turn, for scripts and quick questions. */
@Command(
        name = "prompt",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp prompt [OPTIONS] [NAME] TEXT",
            "       acp prompt [OPTIONS] TEXT -- COMMAND [ARGUMENT...]"
        },
        description = {
            "Sends one prompt to an agent, prints the answer and exits. A prompt of several words goes in quotes: of two "
                    + "words, the first is the name of an installed agent.",
            "",
            "At a terminal, the actions of the agent are shown as well. Otherwise standard output gets the answer "
                    + "and nothing else, and standard error the actions."
        },
        parameterListHeading = "%n",
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp prompt \"where is the retry logic?\"",
            "  acp prompt claude \"explain this code\"",
            "  git diff | acp prompt \"review this change\" - -- claude-agent-acp",
            "  acp prompt --file report.csv \"sum it up\" > summary.md",
            "  acp prompt --continue \"and where is it tested?\"",
            "  acp prompt --json --permissions deny \"fix the tests\" | jq -r 'select(.type==\"tool_call\").title'",
            "",
            "Exit codes:",
            "    0  the agent ended its turn",
            "    1  the agent could not be started, died, did not respond, or responded with an error",
            "    2  wrong command line, or a missing file or folder",
            "    3  the agent refused to continue",
            "    4  the agent reached its limit of tokens or of model requests",
            "    5  the agent asked for a permission, but the run was unattended",
            "    6  standard output could not be written, or a file of --save-content",
            "    7  the agent ended its turn, but some of its messages could not be read",
            "    8  the agent does not offer what the command line asks for",
            "  124  the run exceeded --timeout",
            "  129  ended by SIGHUP",
            "  130  the turn was cancelled",
            "  141  standard output was closed by its reader",
            "  143  ended by SIGTERM"
        })
public final class PromptCommand implements Callable<Integer> {
    private static final String IN_QUOTES = "A prompt of several words goes in quotes: acp prompt \"what to do\".";

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Mixin
    private final SessionOptions options = new SessionOptions();

    @Mixin
    private final OpeningOptions opening = new OpeningOptions();

    @Parameters(
            paramLabel = "[NAME[@VERSION]] TEXT",
            hideParamSyntax = true,
            description = "The prompt, as one word; - means standard input, alone or with the prompt. A word before it "
                    + "is the name of an installed agent, short for --agent.")
    private final List<String> words = new ArrayList<>();

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Attach a file: its content if the agent accepts that, else a link. Can be repeated.")
    private final List<String> files = new ArrayList<>();

    @Option(
            names = {"-q", "--quiet"},
            description = "Show only the answer.")
    private boolean quiet;

    @Option(names = "--json", description = "Print events as one JSON object per line.")
    private boolean json;

    @Option(
            names = "--save-content",
            paramLabel = "FOLDER",
            description = "Save images, audio and other binary content of the agent in this folder.")
    private @Nullable String saveContent;

    @Option(
            names = "--permissions",
            paramLabel = "HOW",
            converter = PermissionRule.Reader.class,
            description = "How to answer permission requests: ask the user, allow, deny and continue, or fail: deny, "
                    + "cancel, and exit with 5. With deny and fail the agent can read files here, but neither write files nor "
                    + "run commands. HOW is ask, allow, deny or fail; default: ask at a terminal, else fail.")
    private @Nullable PermissionRule permissions;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Timeout after which the turn is cancelled: 90s, 5m, 1h.")
    private @Nullable Duration timeout;

    public PromptCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException {
        Deadline deadline = new Deadline(timeout);
        List<String> prompt = prompt();
        Path cwd = options.folder();
        opening.check();
        if (!json) {
            InstallOffer.of(agent, streams);
        }
        Path saveFolder = saveFolder();
        boolean canAsk = streams.hasPerson() && !json;
        PermissionRule how = rule(canAsk);
        Interruption interruption = new Interruption(() -> {});
        interruption.endsOnSignals();
        PromptInput input;
        try {
            input = PromptInput.read(prompt, files, streams.in(), streams.charset(), deadline);
        } catch (TimeoutException e) {
            return ended(Failure.late("standard input did not end", deadline, List.of()));
        } catch (InterruptedException e) {
            Failure signalled = interruption.signalled();
            return ended(signalled == null ? Failure.cancelled() : signalled);
        }
        try (Recording recording = new Recording(options.trace, streams);
                UserInterface ui = UserInterface.ofPrompt(streams, cwd, canAsk, saveFolder)) {
            TurnOutput output = json ? new JsonOutput(streams) : ScreenOutput.of(streams, ui, quiet);
            ui.onInterrupt(interruption::press);
            streams.out().onFailure(interruption::leave);
            AgentConnector connector = new AgentConnector(options, agent, cwd, recording);
            SessionOpener opener =
                    new SessionOpener(options, opening, connector, ui.filesAndTerminals(), how.permitsNothing());
            if (!json) {
                ui.renderer().waiting("Starting " + SafeText.line(agent.name()));
            }
            ExitCode code = new PromptRun(opener, output, interruption).run(input, how, ui, deadline);
            boolean isLost = code == ExitCode.END_OF_TURN && ui.binaries().hasFailed();
            return (isLost ? ExitCode.OUTPUT_LOST : code).number();
        }
    }

    /** Returns the words without the name of the agent, which is taken from them. */
    private List<String> prompt() {
        List<String> texts = words.stream()
                .filter(word -> !word.equals(PromptInput.STANDARD_INPUT))
                .toList();
        if (texts.size() > 2) {
            throw new UsageException(
                    "expected a prompt, or a name and a prompt, got " + texts.size() + " words. " + IN_QUOTES);
        }
        if (texts.size() < 2 && !isNameBeforeInput()) {
            return words;
        }
        agent.word(texts.getFirst(), IN_QUOTES);
        List<String> prompt = new ArrayList<>(words);
        boolean unused = prompt.remove(texts.getFirst());
        return prompt;
    }

    /** What could be a name is one, unless the agent is known already: else it would go to another agent unnoticed. */
    private boolean isNameBeforeInput() {
        return words.size() == 2
                && words.getLast().equals(PromptInput.STANDARD_INPUT)
                && AgentEntry.isId(words.getFirst().replaceFirst("@.*", ""))
                && !agent.isGiven()
                && options.url == null;
    }

    /** Returns the folder for images and other binary content, which now exists; null for none. */
    private @Nullable Path saveFolder() {
        String name = saveContent;
        if (name == null) {
            return null;
        }
        if (json) {
            throw new UsageException("--save-content cannot be combined with --json, whose events have the content");
        }
        try {
            return Files.createDirectories(Path.of(name).toAbsolutePath().normalize());
        } catch (IOException | InvalidPathException e) {
            throw new UsageException("the folder of --save-content cannot be created: " + SafeText.line(name));
        }
    }

    private PermissionRule rule(boolean canAsk) {
        if (permissions == null) {
            return canAsk ? PermissionRule.ASK : PermissionRule.FAIL;
        }
        if (permissions == PermissionRule.ASK && !canAsk) {
            throw new UsageException(
                    json
                            ? "--permissions ask cannot be combined with --json"
                            : "--permissions ask needs a terminal; use allow, deny or fail");
        }
        return permissions;
    }

    /** Reports a failure that occurs before any other output. */
    private int ended(Failure failure) {
        if (json) {
            new JsonOutput(streams).failed(failure);
        } else {
            failure.tell(streams);
        }
        return failure.code().number();
    }
}
