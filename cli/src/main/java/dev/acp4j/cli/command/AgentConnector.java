package dev.acp4j.cli.command;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** Starts an agent and connects to it, as the command line says. */
public final class AgentConnector {
    private final SessionOptions options;
    private final AgentChoice choice;
    private final Path cwd;
    private final Recording recording;
    private final DroppedMessages dropped = new DroppedMessages();

    public AgentConnector(SessionOptions options, AgentChoice choice, Path cwd, Recording recording) {
        this.options = options;
        this.choice = choice;
        this.cwd = cwd;
        this.recording = recording;
    }

    /** Returns how the agent is started. */
    public Launch launch() {
        return AgentLauncher.launch(choice, options, cwd);
    }

    /** Returns the name by which the agent is remembered: its command line, without secrets. */
    public String name() {
        return choice.isBuiltIn() ? "acp agent" : launch().commandLine();
    }

    /** Returns the working folder. */
    public Path cwd() {
        return cwd;
    }

    /** Connects to the agent; see {@link #connect(Launch, Map, Duration, Consumer, Consumer)}. */
    public ConnectedAgent connect(Consumer<String> log, Consumer<Client.Builder> offers) throws InterruptedException {
        return connect(launch(), Map.of(), options.startTimeout, log, offers);
    }

    /**
     * Starts the agent and initializes the connection.
     *
     * @param agent how it is started
     * @param secrets variables of its environment whose values must not be shown or recorded, whatever their names are
     * @param timeout the timeout for its first answer
     * @param log receives the {@code --verbose} output, a line at a time
     * @param offers what the client offers to the agent
     */
    public ConnectedAgent connect(
            Launch agent,
            Map<String, String> secrets,
            Duration timeout,
            Consumer<String> log,
            Consumer<Client.Builder> offers)
            throws InterruptedException {
        Redaction redaction = redaction(agent, secrets);
        Tracer tracer = recording.begin(agent, redaction);
        Launch launch = agent;
        if (tracer != null || options.verbose) {
            UnaryOperator<String> withoutSecrets = redaction.lines();
            launch = agent.onStderr(line -> {
                if (tracer != null) {
                    tracer.stderr("agent", line);
                }
                if (options.verbose) {
                    log.accept("agent: " + SafeText.indented(withoutSecrets.apply(line)));
                }
            });
        }
        Client.Builder client = Client.builder("acp", Version.text())
                .title("acp")
                .startTimeout(timeout)
                .onProblem(problem -> {
                    dropped.add(problem);
                    if (options.verbose) {
                        log.accept("protocol: " + SafeText.line(text(problem)));
                    }
                });
        if (tracer != null) {
            client.trace(tracer);
        }
        offers.accept(client);
        return client.connect(launch);
    }

    /** Returns what hides the secrets of an agent's environment; see {@link #connect}. */
    public static Redaction redaction(Launch agent, Map<String, String> secrets) {
        Redaction redaction = agent.redaction();
        for (String secret : secrets.values()) {
            // The name says that the value is secret; the variable may be called anything.
            redaction = redaction.and(Map.of("SECRET", secret));
        }
        return redaction;
    }

    /** Logs in with the method of {@code --login}, if there is one. */
    public void logIn(ConnectedAgent agent) throws InterruptedException {
        if (options.login == null) {
            return;
        }
        LoginMethod method = LoginMethod.find(LoginMethod.of(agent.authMethods()), options.login);
        if (method.type() != LoginMethod.Type.AGENT) {
            throw new UsageException("--login cannot use the method " + method.safeId()
                    + ", for which the agent must be started anew; use: acp login " + method.safeId()
                    + " -- COMMAND");
        }
        agent.authenticate(AuthMethodId.of(options.login));
    }

    /** Returns the number of messages of the agent that were dropped since the last call. */
    public int takeDropped() {
        return dropped.take();
    }

    private static String text(Problem problem) {
        return problem.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + problem.detail();
    }
}
