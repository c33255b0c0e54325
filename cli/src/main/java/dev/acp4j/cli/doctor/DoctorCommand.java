package dev.acp4j.cli.doctor;

import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.Durations;
import dev.acp4j.cli.command.ExitCode;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Protocol;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.Termination;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.conduct.ExaminedChain;
import dev.acp4j.cli.connect.RemoteOptions;
import dev.acp4j.cli.connect.Way;
import dev.acp4j.cli.editors.ConfiguredAgents;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.cli.terminal.Screen;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code acp doctor}: diagnoses an agent that does not work in an editor. */
@Command(
        name = "doctor",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        customSynopsis = {
            "acp doctor [OPTIONS] [NAME | -- COMMAND [ARGUMENT...]]",
            "       acp doctor --chain FILE [OPTIONS] [NAME | -- COMMAND [ARGUMENT...]]",
            "       acp doctor [OPTIONS] URL|SERVER",
            "       acp doctor editors [--timeout TIME] [--json]"
        },
        description = {
            "Starts an agent, tests it step by step, and reports problems with their cause and the next step.",
            "",
            "With -p or --chain it tests each proxy alone between a client and an agent of its own, then all of them "
                    + "together, and then the agent behind them; it names the first proxy that breaks something.",
            "",
            "With the URL of a remote agent, or the name of a SERVER as 'acp connect' has it, it tests the way there and "
                    + "the server: name, TCP, proxy, TLS, credential, the agent's first answer, its streams, and whether "
                    + "they survive a cut. It opens no session. 'acp doctor -- acp connect URL' tests the agent behind it.",
            "",
            "'acp doctor editors' starts each agent in the settings of your editors as an editor does, and reports those that "
                    + "do not answer, and what is written in an old form.",
            "",
            "It never logs in, opens no page, and sends no prompt without --prompt. The agent is offered neither "
                    + "files nor terminals, and every permission request is refused."
        },
        optionListHeading = "%nOptions:%n",
        footerHeading = "%nExamples:%n",
        footer = {
            "  acp doctor claude",
            "  acp doctor -- gemini --acp",
            "  acp doctor --prompt \"say hello\" -- npx -y some-agent --acp",
            "  acp doctor --protocol 2 -- my-agent",
            "  acp doctor --chain chain.yaml",
            "  acp doctor -p ./brief-proxy -p context: -- gemini --acp",
            "  acp doctor --mcp -- my-agent",
            "  acp doctor --idle 5m https://agents.example/acp",
            "  acp doctor editors",
            "  acp doctor --json -- my-agent | jq 'select(.status == \"problem\")'",
            "",
            "Exit codes:",
            "    0  no problems were found; there may be warnings",
            "    1  there is no installed agent of that name",
            "    2  wrong command line, or a missing folder",
            "    6  standard output could not be written",
            "    7  problems were found",
            "  141  standard output was closed by its reader"
        })
public final class DoctorCommand implements Callable<Integer> {
    /** The word in the place of a URL that means the agents in the settings of editors. */
    private static final String EDITORS = "editors";

    private final Streams streams;

    @Mixin
    private final AgentChoice agent;

    @Parameters(
            arity = "0..1",
            paramLabel = "URL|SERVER|NAME",
            description =
                    "The remote agent to test, or the installed agent with this name; short for --agent. Or the word "
                            + "editors.")
    private @Nullable String place;

    @Mixin
    private final RemoteOptions remote = new RemoteOptions();

    @Option(
            names = "--idle",
            paramLabel = "TIME",
            converter = Durations.class,
            description = "Of a remote agent: watch an idle stream for so long, and report who cuts it.")
    private @Nullable Duration idle;

    @Option(
            names = "--cwd",
            paramLabel = "FOLDER",
            description = "The working folder of the agent; default: a new, empty one.")
    private @Nullable String cwd;

    @Option(
            names = "--env",
            paramLabel = "NAME[=VALUE]",
            description = "Pass this environment variable to the agent, too; NAME may end in *.")
    private final List<String> environment = new ArrayList<>();

    @Option(
            names = "--prompt",
            paramLabel = "TEXT",
            description = "Send this prompt, and cancel it once; this may cost money. Default: no prompt is sent.")
    private @Nullable String prompt;

    @Option(
            names = "--protocol",
            paramLabel = Protocol.LABEL,
            defaultValue = "1",
            converter = Protocol.Converter.class,
            description =
                    "The version of the protocol to test; default: 1. Version 2 is a draft; auto tests the newest "
                            + "that the agent speaks.")
    private Protocol protocol = Protocol.ONE;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            defaultValue = "60s",
            converter = Durations.class,
            description = "Timeout for a response of the agent; default: 60s.")
    private Duration timeout = Duration.ofSeconds(60);

    @Option(
            names = "-p",
            paramLabel = "PROXY",
            description = "Test this proxy, and the agent behind it; as 'acp conduct -p'; repeatable.")
    private List<String> proxies = new ArrayList<>();

    @Option(
            names = "--chain",
            paramLabel = "FILE",
            description = "Test the proxies of this chain file, and the agent behind them: the one after --, or else "
                    + "that of the file.")
    private @Nullable Path chain;

    @Option(
            names = "--mcp",
            description =
                    "Offer an MCP server of each kind that the agent takes, and report whether it connects to it.")
    private boolean mcp;

    @Option(names = "--json", description = "Print one JSON object for each step, and a summary.")
    private boolean json;

    @Option(
            names = "--trace",
            paramLabel = "FILE",
            description =
                    "Record the messages to and from the agent, without secrets; 'acp trace show FILE' shows them.")
    private @Nullable String trace;

    public DoctorCommand(Streams streams, AgentChoice agent) {
        this.streams = streams;
        this.agent = agent;
    }

    @Override
    public Integer call() throws InterruptedException, IOException {
        if (EDITORS.equals(place)) {
            return examineEditors();
        }
        if (place != null && RemoteOptions.isPlace(place)) {
            return examineServer(place);
        }
        if (place != null) {
            agent.word(place, "A server needs a URL or a name in servers.json; the command of an agent goes after --.");
        }
        if (idle != null) {
            throw new UsageException("--idle is for remote agents, and needs a URL");
        }
        SessionOptions options = new SessionOptions();
        options.cwd = cwd;
        options.environment = environment;
        options.proxies = proxies;
        options.chain = chain;
        if (cwd != null) {
            return examine(options, options.folder());
        }
        Path folder = Files.createTempDirectory("acp-doctor").toRealPath();
        try {
            return examine(options, folder);
        } finally {
            delete(folder);
        }
    }

    private int examineEditors() throws InterruptedException {
        if (agent.isGiven()
                || cwd != null
                || chain != null
                || prompt != null
                || trace != null
                || mcp
                || idle != null
                || !environment.isEmpty()
                || !proxies.isEmpty()) {
            throw new UsageException("'acp doctor editors' takes --timeout and --json only");
        }
        List<ConfiguredAgents.Settings> all = ConfiguredAgents.here();
        Redaction redaction = Redaction.SECRETS;
        for (ConfiguredAgents.Settings settings : all) {
            redaction = settings.hiding(redaction);
        }
        DoctorOutput output = output("the setup of your editors", redaction::redact);
        Termination termination = Termination.watched();
        try {
            boolean isWell = new EditorsDoctor(output, timeout).examine(all, termination);
            return (isWell ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
        } catch (InterruptedException e) {
            return ended(termination, e);
        }
    }

    private int examineServer(String place) throws InterruptedException {
        if (agent.isGiven()
                || cwd != null
                || prompt != null
                || chain != null
                || trace != null
                || mcp
                || !environment.isEmpty()
                || !proxies.isEmpty()) {
            throw new UsageException(
                    "--cwd, --env, --prompt, --mcp, --trace, -p, --chain and a command after -- are for"
                            + " agents that are started here; 'acp doctor -- acp connect URL' is such a one");
        }
        Way way = way(place);
        DoctorOutput output = output("the server", withoutToken(way));
        Termination termination = Termination.watched();
        try (ExaminedServer server = new ExaminedServer(way, protocol, timeout, idle)) {
            Doctor.examine(ServerDoctor.STEPS, server, output, termination);
            return (output.ends() ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
        } catch (InterruptedException e) {
            return ended(termination, e);
        }
    }

    private Way way(String place) {
        URI uri = remote.find(place);
        if (RemoteOptions.isSsh(uri)) {
            throw new UsageException(
                    "an agent over ssh is tested by: acp doctor -- acp connect " + SafeText.line(place));
        }
        Way way = remote.way(uri);
        way.requireAllowed();
        return way;
    }

    private DoctorOutput output(String subject, UnaryOperator<String> withoutSecrets) {
        return json
                ? new DoctorOutput.Json(streams.out(), withoutSecrets)
                : new DoctorOutput.Text(
                        new Screen(streams.out()::print, streams.outDisplay()), subject, withoutSecrets);
    }

    /** What a server says may contain the token that it was sent. */
    private static UnaryOperator<String> withoutToken(Way way) {
        try {
            String header = way.agent().headers().getOrDefault("Authorization", "");
            return Redaction.SECRETS.and(Map.of("TOKEN", header.replaceFirst("^Bearer ", "")))::redact;
        } catch (IOException e) {
            // There is none, which the step of the credential says.
            return Redaction.SECRETS::redact;
        }
    }

    /** Returns the exit code after a signal. */
    private int ended(Termination termination, InterruptedException e) throws InterruptedException {
        Failure ended = termination.failure();
        if (ended == null) {
            throw e;
        }
        ended.tell(streams);
        return ended.code().number();
    }

    private int examine(SessionOptions options, Path folder) throws InterruptedException {
        if (chain == null && proxies.isEmpty()) {
            return examine(options, folder, null);
        }
        if (chain != null && !proxies.isEmpty()) {
            throw new UsageException("-p and --chain cannot be combined: add the proxy to the file");
        }
        try (ExaminedChain parts = ExaminedChain.read(streams, agent, proxies, chain, folder)) {
            return examine(options, folder, parts);
        }
    }

    private int examine(SessionOptions options, Path folder, @Nullable ExaminedChain parts)
            throws InterruptedException {
        Launch command = AgentLauncher.launch(agent, options, folder);
        Redaction redaction =
                parts == null ? command.redaction() : parts.redaction().and(command.environment());
        DoctorOutput output = output(parts == null ? "the agent" : "the chain", redaction::redact);
        Termination termination = Termination.watched();
        try (Recording recording = new Recording(trace, streams)) {
            if (parts != null) {
                boolean passes = new ChainDoctor(parts, output, timeout).examine(termination);
                if (!passes || !(parts.hasAgent() || chain == null)) {
                    // What is broken is broken in front of the agent, too.
                    return (output.ends() ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
                }
                output.part("the chain with its agent: " + command.commandLine());
            }
            Tracer tracer = recording.begin(command);
            Launch launch = command.shutdownTimes(ShutdownSteps.PATIENCE, ShutdownSteps.MERCY);
            ExaminedAgent examined = tracer == null
                    ? new ExaminedAgent(launch, folder, protocol, prompt, timeout, transport -> transport)
                    : new ExaminedAgent(
                            launch.onStderr(line -> tracer.stderr("agent", line)),
                            folder,
                            protocol,
                            prompt,
                            timeout,
                            transport -> tracer.watch(transport, "client", "agent"));
            if (mcp) {
                examined.offering(new McpOffers());
            }
            boolean isWell = Doctor.examine(examined, output, termination);
            RawJson answer = examined.answer();
            if (answer != null && parts == null) {
                agent.keepAnswer(answer.value());
            }
            return (isWell ? ExitCode.END_OF_TURN : ExitCode.PROBLEMS_FOUND).number();
        } catch (InterruptedException e) {
            return ended(termination, e);
        }
    }

    /**
     * Deletes the folder with the files that the agent wrote. Files that cannot be deleted remain in the system's
     * temporary folder.
     */
    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(path);
            }
        } catch (IOException e) {
            // Best effort; not reported.
        }
    }
}
