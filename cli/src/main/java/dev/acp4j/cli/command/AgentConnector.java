package dev.acp4j.cli.command;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Starts an agent and connects to it, as the command line says. */
public final class AgentConnector {
    private final SessionOptions options;
    private final AgentChoice choice;
    private final Path cwd;
    private final Recording recording;
    private final DroppedMessages dropped = new DroppedMessages();
    private volatile LoginVariables variables = LoginVariables.NONE;

    public AgentConnector(SessionOptions options, AgentChoice choice, Path cwd, Recording recording) {
        this.options = options;
        this.choice = choice;
        this.cwd = cwd;
        this.recording = recording;
    }

    /** Returns how the agent is started. */
    public Launch launch() {
        return variables.on(AgentLauncher.launch(choice, options, cwd));
    }

    /** Returns the name by which the agent is remembered: its command line, without secrets. */
    public String name() {
        boolean isOwn = choice.isBuiltIn() && options.url == null && !AgentLauncher.isConducted(options);
        return isOwn ? "acp agent" : launch().commandLine();
    }

    /** Returns the working folder. */
    public Path cwd() {
        return cwd;
    }

    /** Connects to the agent; see {@link #connect(Duration, Consumer, Consumer)}. */
    public ConnectedAgent connect(Consumer<String> log, Consumer<Client.Builder> offers) throws InterruptedException {
        return connect(options.startTimeout, log, offers);
    }

    /**
     * Starts the agent and initializes the connection.
     *
     * @param timeout the timeout for its first answer
     * @param log receives the {@code --verbose} output, a line at a time
     * @param offers what the client offers to the agent
     */
    public ConnectedAgent connect(Duration timeout, Consumer<String> log, Consumer<Client.Builder> offers)
            throws InterruptedException {
        Launch agent = launch();
        Redaction redaction = variables.redaction(agent);
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
                .protocol(options.protocol.versions())
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
        ConnectedAgent connected = client.connect(launch);
        RawJson answer = connected.raw().result();
        if (answer != null && options.url == null && !AgentLauncher.isConducted(options)) {
            choice.keepAnswer(answer.value());
        }
        return connected;
    }

    /** Starts the agent. */
    public interface Start {
        ConnectedAgent start() throws InterruptedException;
    }

    /**
     * Logs in with variables, for which the agent is started anew: from now on, it is always started with them.
     *
     * @param method the method
     * @param questions asks for the variables
     * @param start starts the agent
     * @return the agent that is logged in. If that fails, it was left, and agents are started as before
     */
    public ConnectedAgent logIn(LoginMethod method, LoginVariables.Questions questions, Start start)
            throws InterruptedException {
        LoginVariables before = variables;
        // What the user gave before may be out of date: it is asked for again.
        variables = LoginVariables.ask(method, AgentLauncher.launch(choice, options, cwd), questions);
        ConnectedAgent agent = null;
        boolean isLoggedIn = false;
        try {
            agent = start.start();
            agent.authenticate(AuthMethodId.of(method.id()));
            isLoggedIn = true;
            return agent;
        } catch (RpcException e) {
            throw new CommandFailedException(redacted(Failure.of(e)));
        } finally {
            if (!isLoggedIn) {
                variables = before;
                if (agent != null) {
                    agent.close();
                }
            }
        }
    }

    /** Returns a failure without the secrets of a login: agents quote the key that they refuse. */
    public Failure redacted(Failure failure) {
        if (variables.secrets().isEmpty()) {
            return failure;
        }
        Redaction redaction = variables.redaction(launch());
        List<String> details = new ArrayList<>();
        failure.details().forEach(detail -> details.add(redaction.redact(detail)));
        return new Failure(redaction.redact(failure.message()), details, failure.code());
    }

    /** Returns the method of {@code --login}; null if there is none. */
    public @Nullable LoginMethod loginMethod(ConnectedAgent agent) {
        if (options.login == null) {
            return null;
        }
        LoginMethod method = LoginMethod.find(LoginMethod.of(agent.authMethods()), options.login);
        if (method.type() != LoginMethod.Type.AGENT && method.type() != LoginMethod.Type.ENVIRONMENT) {
            throw refused(method);
        }
        return method;
    }

    /** Logs in with the method of {@code --login}, if there is one. */
    public void logIn(ConnectedAgent agent) throws InterruptedException {
        LoginMethod method = loginMethod(agent);
        if (method == null) {
            return;
        }
        if (method.type() != LoginMethod.Type.AGENT) {
            throw refused(method);
        }
        agent.authenticate(AuthMethodId.of(method.id()));
    }

    private static UsageException refused(LoginMethod method) {
        return new UsageException("--login cannot use the method " + method.safeId()
                + ", for which the agent must be started anew; use: acp login " + method.safeId() + " -- COMMAND");
    }

    /** Returns the number of messages of the agent that were dropped since the last call. */
    public int takeDropped() {
        return dropped.take();
    }

    private static String text(Problem problem) {
        return problem.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + problem.detail();
    }
}
