package dev.acp4j.cli.session;

import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.cli.command.AgentChoice;
import dev.acp4j.cli.command.AgentLauncher;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.DroppedMessages;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.Recording;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.SignIn;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.command.Version;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.Problem;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.trace.Tracer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Starts an agent and opens a session with it. */
public final class SessionOpener {
    /** How long an agent may take to end by itself in the background: some save their sessions for seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private final SessionOptions options;
    private final AgentChoice choice;
    private final Path cwd;
    private final FilesAndTerminals filesAndTerminals;
    private final boolean readOnly;
    private final Recording recording;
    private final DroppedMessages dropped = new DroppedMessages();
    private @Nullable Launch launched;

    /** @param readOnly whether writing files and running commands are not offered to the agent */
    public SessionOpener(
            SessionOptions options,
            AgentChoice choice,
            Path cwd,
            FilesAndTerminals filesAndTerminals,
            boolean readOnly,
            Recording recording) {
        this.options = options;
        this.choice = choice;
        this.cwd = cwd;
        this.filesAndTerminals = filesAndTerminals;
        this.readOnly = readOnly;
        this.recording = recording;
    }

    /**
     * Chooses the sign-in method if the agent requires one and the command line gives none; null if there is no user to
     * ask.
     */
    public interface WaysToSignIn {
        @Nullable
        AuthMethodId choose(List<AuthMethod> methods) throws InterruptedException;
    }

    /**
     * Starts the agent and initializes the connection.
     *
     * @param log receives the {@code --verbose} output, a line at a time
     * @param deadline the deadline for the agent's response
     */
    public ConnectedAgent connect(
            Client.PermissionHandler permissions, Session.Listener events, Consumer<String> log, Deadline deadline)
            throws InterruptedException {
        Launch agent = AgentLauncher.launch(choice, options, cwd);
        launched = agent;
        Tracer tracer = recording.begin(agent);
        Launch launch = agent;
        if (tracer != null || options.verbose) {
            UnaryOperator<String> withoutSecrets = agent.redaction().lines();
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
                .startTimeout(deadline.left(options.startTimeout))
                .onPermission(permissions)
                .onEvent(events)
                .onProblem(problem -> {
                    dropped.add(problem);
                    if (options.verbose) {
                        log.accept("protocol: " + SafeText.line(text(problem)));
                    }
                });
        if (tracer != null) {
            client.trace(tracer);
        }
        filesAndTerminals.offer(client, readOnly);
        if (readOnly && options.verbose) {
            log.accept("not offered to the agent: writing files, running commands");
        }
        return client.connect(launch);
    }

    /** Opens a session; signs in first if requested. */
    public Session open(ConnectedAgent agent, WaysToSignIn ways) throws InterruptedException {
        String wanted = options.signIn;
        if (wanted != null) {
            agent.authenticate(method(agent, wanted));
            return agent.newSession(cwd);
        }
        try {
            return agent.newSession(cwd);
        } catch (AuthenticationRequiredException e) {
            AuthMethodId chosen = ways.choose(e.methods());
            if (chosen == null) {
                throw e;
            }
            agent.authenticate(chosen);
            return agent.newSession(cwd);
        }
    }

    /**
     * Returns a failure with a hint if it mentions variables that were not passed to the agent.
     *
     * @param agent the agent; null if the connection to it was not made
     */
    public Failure explained(Failure failure, @Nullable ConnectedAgent agent) {
        if (agent != null) {
            return failure.about(agent);
        }
        Launch failed = launched;
        return failed == null ? failure : failure.about(failed);
    }

    /**
     * Leaves the agent. If it takes longer than a moment to end, its end goes on in the background when this process
     * has exited, unless its last output is recorded or shown.
     *
     * @param agent the agent; null if it was not started
     */
    public void leave(@Nullable ConnectedAgent agent) {
        if (agent == null) {
            return;
        }
        if (options.trace == null && !options.verbose) {
            agent.process().ifPresent(process -> process.closeInBackground(PATIENCE));
        } else {
            agent.close();
        }
    }

    /** Returns the number of messages of the agent that were dropped since the last call. */
    public int takeDropped() {
        return dropped.take();
    }

    private static String text(Problem problem) {
        return problem.kind().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + problem.detail();
    }

    private static AuthMethodId method(ConnectedAgent agent, String wanted) {
        StringBuilder offered = new StringBuilder();
        for (AuthMethod method : agent.authMethods()) {
            if (SignIn.id(method).equals(wanted)) {
                return AuthMethodId.of(wanted);
            }
            offered.append(offered.isEmpty() ? "" : ", ").append(SignIn.id(method));
        }
        throw new UsageException("the agent does not offer the sign-in method " + SafeText.line(wanted)
                + (offered.isEmpty() ? "; it offers none" : "; it offers: " + offered));
    }
}
