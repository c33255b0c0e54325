package dev.acp4j.cli.session;

import dev.acp4j.AuthStatus;
import dev.acp4j.AuthenticationRequiredException;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.cli.command.AgentConnector;
import dev.acp4j.cli.command.Deadline;
import dev.acp4j.cli.command.Failure;
import dev.acp4j.cli.command.LoginMethod;
import dev.acp4j.cli.command.LoginVariables;
import dev.acp4j.cli.command.NotOfferedException;
import dev.acp4j.cli.command.OpeningOptions;
import dev.acp4j.cli.command.SessionOptions;
import dev.acp4j.cli.command.UsageException;
import dev.acp4j.cli.terminal.SafeText;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.mcp.McpConfig;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AuthAccount;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Starts an agent and opens a session with it: a new one, or an earlier one. */
public final class SessionOpener {
    /** How long an agent may take to end by itself in the background: some save their sessions for seconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final String CANNOT_CONTINUE = "The agent can neither resume nor load sessions. This is a new one.";

    private final SessionOptions options;
    private final OpeningOptions opening;
    private final AgentConnector connector;
    private final FilesAndTerminals filesAndTerminals;
    private final boolean readOnly;
    private final RememberedSessions memory = RememberedSessions.ofUser();
    private volatile @Nullable ConnectedAgent agent;

    /** Starts the agent, as it was started first. */
    private AgentConnector.@Nullable Start start;

    /** @param readOnly whether writing files and running commands are not offered to the agent */
    public SessionOpener(
            SessionOptions options,
            OpeningOptions opening,
            AgentConnector connector,
            FilesAndTerminals filesAndTerminals,
            boolean readOnly) {
        this.options = options;
        this.opening = opening;
        this.connector = connector;
        this.filesAndTerminals = filesAndTerminals;
        this.readOnly = readOnly;
    }

    /** The questions that the command line leaves open. */
    public interface Questions extends LoginVariables.Questions {
        /** Chooses the login method if the agent requires one; null if there is no user to ask. */
        @Nullable
        LoginMethod login(List<AuthMethod> methods) throws InterruptedException;

        /**
         * Chooses one of the sessions, at least one; null for a new one.
         *
         * @throws UsageException if there is no user to ask; see {@link #idNeeded}
         */
        @Nullable
        SessionInfo session(List<SessionInfo> sessions) throws InterruptedException;

        /** Returns the error for a command line that leaves the choice to a user who is not there. */
        static UsageException idNeeded(List<SessionInfo> sessions) {
            return new UsageException(
                    "--resume needs the id of a session; in this folder there are " + EarlierSessions.names(sessions));
        }
    }

    /** No user is there to answer. */
    public static final Questions UNATTENDED = new Questions() {
        @Override
        public @Nullable LoginMethod login(List<AuthMethod> methods) {
            return null;
        }

        @Override
        public void note(String text) {}

        @Override
        public String variable(LoginMethod.Variable variable) {
            return LoginVariables.Questions.unattended(variable);
        }

        @Override
        public @Nullable SessionInfo session(List<SessionInfo> sessions) {
            throw Questions.idNeeded(sessions);
        }
    };

    /**
     * Starts the agent and initializes the connection.
     *
     * @param handlers sets what answers the agent and hears of its updates
     * @param log receives the {@code --verbose} output, a line at a time
     * @param deadline the deadline for the agent's response
     */
    public ConnectedAgent connect(Consumer<Client.Builder> handlers, Consumer<String> log, Deadline deadline)
            throws InterruptedException {
        start = () -> connector.connect(deadline.left(options.startTimeout), log, client -> {
            handlers.accept(client);
            client.terminalAuthentication(true).agentTerminals(true);
            if (options.verbose) {
                client.onAuthStatus((agent, status) -> log.accept("authentication: " + text(status)));
            }
            if (!options.noBridge && opening.servers().servers().stream().anyMatch(McpServer.Http.class::isInstance)) {
                McpBridge.addTo(client);
            }
            filesAndTerminals.offer(client, readOnly);
            if (readOnly && options.verbose) {
                log.accept("not offered to the agent: writing files, running commands");
            }
        });
        ConnectedAgent started = start.start();
        agent = started;
        return started;
    }

    /** Returns the agent; null before it has started. A login may start it anew. */
    public @Nullable ConnectedAgent agent() {
        return agent;
    }

    private static String text(AuthStatus status) {
        List<String> parts = new ArrayList<>();
        for (AuthAccount account : status.accounts()) {
            for (String part :
                    Arrays.asList(account.label(), account.name(), account.email(), account.organization())) {
                if (part != null) {
                    parts.add(part);
                }
            }
        }
        return SafeText.line(parts.isEmpty() ? status.state().value() : String.join(", ", parts));
    }

    /**
     * Opens a session as the command line says; logs in first if requested, or if the agent requires it. The session is
     * one of {@link #agent()}, which may be another one then.
     */
    public OpenedSession open(ConnectedAgent started, Questions questions) throws InterruptedException {
        if (!opening.folders().isEmpty()) {
            NotOfferedException.require(started, Feature.ADDITIONAL_DIRECTORIES);
        }
        requireServers(started);
        LoginMethod wanted = connector.loginMethod(started);
        ConnectedAgent ready = wanted == null ? started : logIn(started, wanted, questions);
        try {
            return choose(ready, questions);
        } catch (RpcError e) {
            LoginMethod chosen = e.code() == RpcError.AUTH_REQUIRED ? questions.login(ready.authMethods()) : null;
            if (chosen == null) {
                throw e;
            }
            return choose(logIn(ready, chosen, questions), questions);
        }
    }

    private void requireServers(ConnectedAgent started) {
        boolean relays =
                !options.noBridge && (started.supports(Feature.MCP_STDIO) || started.supports(Feature.MCP_ACP));
        for (McpServer server : opening.servers().servers()) {
            String unsupported =
                    McpConfig.empty().with(server).unsupported(started).orElse(null);
            if (unsupported != null && !(relays && server instanceof McpServer.Http)) {
                throw new NotOfferedException(unsupported);
            }
        }
    }

    /**
     * Logs in.
     *
     * @return the agent that is logged in. If the method needs variables, this is a new one, and the one before was
     *     left, unless the login fails
     */
    public ConnectedAgent logIn(ConnectedAgent before, LoginMethod method, Questions questions)
            throws InterruptedException {
        if (method.type() != LoginMethod.Type.ENVIRONMENT) {
            before.authenticate(AuthMethodId.of(method.id()));
            return before;
        }
        ConnectedAgent anew = connector.logIn(method, questions, Objects.requireNonNull(start));
        agent = anew;
        // Not in the background: it may hold the session that the other one is to continue.
        before.close();
        return anew;
    }

    /** Continues a session with an agent that was started anew, as far as the agent can. */
    public OpenedSession continued(ConnectedAgent anew, OpenedSession before) throws InterruptedException {
        OpenedSession opened;
        if (canContinue(anew)) {
            opened = reopen(anew, before.session().id(), setup());
        } else {
            opened = opened(anew.newSession(setup()), OpenedSession.How.NEW);
            opened.note(CANNOT_CONTINUE);
        }
        new SessionSettings(opened).putBack(before.settings());
        return opened;
    }

    /** Opens a new session beside the one that the command line opened, with the same settings. */
    public OpenedSession openNew(ConnectedAgent agent) throws InterruptedException {
        OpenedSession opened = opened(agent.newSession(setup()), OpenedSession.How.NEW);
        apply(new SessionSettings(opened), opened);
        return opened;
    }

    /** Ends a session that nobody wants to see in a list, as far as the agent can. */
    public static void discard(Session session) throws InterruptedException {
        ConnectedAgent agent = session.agent();
        session.close();
        try {
            if (agent.supports(Feature.DELETE_SESSION)) {
                agent.deleteSession(session.id());
            }
        } catch (RpcException e) {
            // It stays in the list.
        }
    }

    private SessionSetup setup() {
        return SessionSetup.in(connector.cwd())
                .withAdditionalDirectories(opening.folders())
                .withMcpServers(opening.servers().servers());
    }

    /**
     * Returns a failure with a hint if it mentions variables that were not passed to the agent, and without the secrets
     * of a login.
     */
    public Failure explained(Failure failure) {
        ConnectedAgent started = agent;
        return connector.redacted(started == null ? failure.about(connector.launch()) : failure.about(started));
    }

    /**
     * Leaves the agent. If it takes longer than a moment to end, its end goes on in the background when this process
     * has exited, unless its last output is recorded or shown.
     */
    public void leave() {
        ConnectedAgent started = agent;
        if (started != null) {
            leave(started);
        }
    }

    private void leave(ConnectedAgent left) {
        if (options.trace == null && !options.verbose) {
            left.process().ifPresent(process -> process.closeInBackground(PATIENCE));
        } else {
            left.close();
        }
    }

    /** Returns the number of messages of the agent that were dropped since the last call. */
    public int takeDropped() {
        return connector.takeDropped();
    }

    // ---- which session

    private OpenedSession choose(ConnectedAgent agent, Questions questions) throws InterruptedException {
        SessionSetup setup = setup();
        List<String> notes = new ArrayList<>();
        SessionId earlier = opening.isEarlier() ? earlier(agent, questions, notes) : null;
        OpenedSession opened = earlier == null
                ? opened(agent.newSession(setup), OpenedSession.How.NEW)
                : reopen(agent, earlier, setup);
        notes.forEach(opened::note);
        SessionSettings settings = new SessionSettings(opened);
        if (earlier != null) {
            settings.putBack(settingsOf(earlier, opened));
        }
        apply(settings, opened);
        return opened;
    }

    /** Sets what the command line says. A new session is not left at the agent if that is wrong. */
    private void apply(SessionSettings settings, OpenedSession opened) throws InterruptedException {
        boolean applied = false;
        try {
            settings.apply(opening);
            applied = true;
        } finally {
            if (!applied && opened.how() == OpenedSession.How.NEW) {
                discard(opened.session());
            }
        }
    }

    private static boolean canContinue(ConnectedAgent agent) {
        return agent.supports(Feature.RESUME_SESSION) || agent.supports(Feature.LOAD_SESSION);
    }

    /** Returns the session to continue; null for a new one, with the reason in the notes. */
    private @Nullable SessionId earlier(ConnectedAgent agent, Questions questions, List<String> notes)
            throws InterruptedException {
        if (!canContinue(agent)) {
            notes.add(CANNOT_CONTINUE);
            return null;
        }
        Path cwd = connector.cwd();
        String id = opening.resume;
        if (id == null || id.isEmpty()) {
            List<SessionInfo> here = EarlierSessions.of(agent, agentName(), memory, cwd);
            if (here.isEmpty()) {
                notes.add("There is no earlier session in this folder. This is a new one.");
                return null;
            }
            SessionInfo chosen = id == null ? here.getFirst() : questions.session(here);
            return chosen == null ? null : chosen.sessionId();
        }
        SessionInfo found = EarlierSessions.find(EarlierSessions.of(agent, agentName(), memory, null), id);
        if (found == null) {
            // It may be one that the agent does not list.
            return SessionId.of(id);
        }
        if (!EarlierSessions.folder(found).equals(cwd)) {
            throw new UsageException(
                    "the session " + SafeText.line(found.sessionId().value()) + " belongs to another "
                            + "folder; continue it with --cwd " + SafeText.line(found.cwd()));
        }
        return found.sessionId();
    }

    /** Resumes or loads a session. One that the agent does not know any more is replaced by a new one. */
    private OpenedSession reopen(ConnectedAgent agent, SessionId id, SessionSetup setup) throws InterruptedException {
        boolean resumes = agent.supports(Feature.RESUME_SESSION);
        try {
            return resumes
                    ? opened(agent.resumeSession(id, setup), OpenedSession.How.RESUMED)
                    : opened(agent.loadSession(id, setup), OpenedSession.How.LOADED);
        } catch (AuthenticationRequiredException e) {
            throw e;
        } catch (RpcError e) {
            if (!isStale(e)) {
                throw e;
            }
            OpenedSession fresh = opened(agent.newSession(setup), OpenedSession.How.NEW);
            fresh.note("The session " + SafeText.line(id.value()) + " cannot be continued: " + Failure.errorText(e)
                    + ". This is a new one.");
            return fresh;
        }
    }

    /** Agents have no common error for a session that they do not know. */
    private static boolean isStale(RpcError e) {
        return switch (e.code()) {
            case RpcError.RESOURCE_NOT_FOUND, RpcError.INVALID_PARAMS, RpcError.INTERNAL_ERROR -> true;
            default -> false;
        };
    }

    private OpenedSession opened(Session session, OpenedSession.How how) {
        return new OpenedSession(session, how, agentName(), memory);
    }

    private Map<String, String> settingsOf(SessionId id, OpenedSession opened) {
        try {
            for (RememberedSessions.Remembered each : memory.of(agentName())) {
                if (each.id().equals(id.value())) {
                    return each.settings();
                }
            }
        } catch (IOException e) {
            opened.note("The settings of the session cannot be read: " + e.getMessage());
        }
        return Map.of();
    }

    private String agentName() {
        return connector.name();
    }
}
