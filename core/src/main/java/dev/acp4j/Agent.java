package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Acceptor;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A coding agent: answers prompts in sessions, or the requests of an extension. It advertises the capabilities that it
 * has handlers for, and no others. An agent is immutable and thread-safe.
 *
 * <p>The smallest one has a handler of prompts. The builder answers {@code initialize} and {@code session/new}, and
 * cancels turns, by itself:
 *
 * <pre>{@code
 * Agent.builder("echo", "1.0")
 *         .onPrompt(turn -> {
 *             turn.thought("Looking…");
 *             turn.message("You said: " + turn.text());
 *         })
 *         .serve(Stdio.system());
 * }</pre>
 *
 * <p>Each handler that is set offers what it handles: {@link Builder#onLoadSession} advertises {@code session/load},
 * for example. Handlers run on threads of their own and may block; {@link AgentTurn} is what a handler of prompts gets:
 *
 * <pre>{@code
 * return Agent.builder("modes", "1.0")
 *         .onNewSession(AgentRecipes::open)
 *         .onSetMode((session, mode) -> session.title("Mode: " + mode))
 *         .onSetConfigOption((session, option, value) -> options(value.equals(SessionConfigOptionValue.of(true))))
 *         .onPrompt(turn -> turn.message("Ready."));
 * }</pre>
 *
 * <p>An agent may serve many connections. Sessions belong to the agent: clients attach to a session by opening it, and
 * several may be attached to one. Updates go to all of them. A session ends when a client closes it or the last one
 * leaves, see {@link Builder#keepSessions}; until then a client may leave in mid-turn and come back. The clients of one
 * agent are trusted alike: for users who must not see each other's sessions build an agent each.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview">The protocol</a>
 */
public final class Agent {
    final Builder config;
    final AgentSessions sessions;

    private Agent(Builder config) {
        this.config = config;
        this.sessions = new AgentSessions(config);
    }

    /**
     * Begins an agent.
     *
     * @param name its name for programs, for example {@code my-agent}
     * @param version its version
     */
    public static Builder builder(String name, String version) {
        return new Builder(name, version);
    }

    /**
     * Serves one connection and returns when it has ended; for the main method of a program.
     *
     * @throws InterruptedException when interrupted; the connection is then closed
     * @throws ConnectionClosedException when the connection failed; not when the client closed it
     */
    public void serve(Transport transport) throws InterruptedException {
        try (ConnectedClient client = connect(transport)) {
            client.awaitClosed();
            Optional<Throwable> failure = client.rpc().failure();
            if (failure.isPresent()) {
                String why = "the connection failed: " + failure.get().getMessage();
                throw new ConnectionClosedException(why, null, failure.get());
            }
        }
    }

    /**
     * Serves all connections that are accepted, each in the background, and returns when the acceptor has ended; for
     * the main method of a server.
     *
     * @throws InterruptedException when interrupted; the connections are then closed
     * @throws ConnectionClosedException when nothing could be accepted, such as when the port is taken
     */
    public void serve(Acceptor acceptor) throws InterruptedException {
        try {
            acceptor.accept(this::connect);
        } catch (IOException e) {
            throw new ConnectionClosedException("cannot accept connections: " + e.getMessage(), null, e);
        }
    }

    /** Serves one connection in the background and returns at once. Closing the result closes the connection. */
    public ConnectedClient connect(Transport transport) {
        ConnectedClient client = new ConnectedClient();
        AgentRouter router = new AgentRouter(this, client);
        AgentRouter.AtEnd atEnd = router.new AtEnd();
        Connection unused = Connection.builder(config.traced(transport), router)
                .name(config.name)
                .limits(transport.limits(config.limits))
                .virtualThreads(config.virtualThreads)
                .time(config.time)
                .interceptIncoming(Extensions.of(config.incoming, client))
                .interceptOutgoing(Extensions.of(config.outgoing, client))
                .onProblem(config.onProblem)
                .listener(config.listener)
                .lastHandlers(atEnd)
                .closedExceptions(atEnd)
                .start();
        return client;
    }

    /**
     * Ends all sessions, with their turns, also those that are kept though no client is attached. Connections go on.
     * Waits for their turns for at most {@link Limits#drainTime()}, for all together.
     */
    public void endSessions() {
        sessions.endAll();
    }

    /** Collects what an agent can do. */
    public static final class Builder implements Cloneable {
        /** What no handler says. Not an EnumSet, whose first use costs some milliseconds of the start. */
        private static final Set<Feature> SAID = Set.of(
                Feature.PROMPT_IMAGES,
                Feature.PROMPT_AUDIO,
                Feature.PROMPT_RESOURCES,
                Feature.MCP_STDIO,
                Feature.MCP_HTTP,
                Feature.MCP_SSE,
                Feature.ADDITIONAL_DIRECTORIES,
                Feature.SYSTEM_PROMPT,
                Feature.SYSTEM_PROMPT_OVERRIDE,
                Feature.MCP_ACP,
                Feature.PLANS,
                Feature.SUBAGENTS);

        final String name;
        final String version;
        Extensions<ConnectedClient> extensions;
        List<Extensions.Interception> incoming = new ArrayList<>();
        List<Extensions.Interception> outgoing = new ArrayList<>();

        @Nullable
        String title;

        @Nullable
        PromptHandler onPrompt;

        @Nullable
        SessionHandler onNewSession;

        @Nullable
        SessionHandler onLoadSession;

        @Nullable
        SessionHandler onResumeSession;

        @Nullable
        SessionHandler onCloseSession;

        @Nullable
        ListSessionsHandler onListSessions;

        @Nullable
        DeleteSessionHandler onDeleteSession;

        @Nullable
        SetModeHandler onSetMode;

        @Nullable
        SetConfigOptionHandler onSetConfigOption;

        List<AuthMethod> authMethods = List.of();

        @Nullable
        AuthenticateHandler onAuthenticate;

        @Nullable
        LogoutHandler onLogout;

        @Nullable
        ForkSessionHandler onForkSession;

        @Nullable
        ArchiveSessionHandler onArchiveSession;

        @Nullable
        SessionStatusHandler onSessionStatus;

        @Nullable
        SetTitleHandler onSetTitle;

        @Nullable
        AuthStatusHandler onAuthStatus;

        @Nullable
        ProvidersHandler onProviders;

        Set<Version> versions = Set.of(Version.V1);
        Set<Feature> supported = new HashSet<>();
        Meta meta = Meta.EMPTY;
        Meta capabilitiesMeta = Meta.EMPTY;
        Map<String, Function<Rest, @Nullable RawJson>> capabilities = new LinkedHashMap<>();
        List<Consumer<? super ConnectedClient>> onDisconnect = new ArrayList<>();
        List<SessionHandler> onSessionOpening = new ArrayList<>(0);
        List<SessionHandler> onSessionEnd = new ArrayList<>(0);
        Supplier<SessionId> sessionIds = new SessionIds();

        @Nullable
        Opener opener;

        /** Whether what another agent says is said, in the words of another version. */
        boolean isTranslator;

        Duration keepSessions = Duration.ZERO;
        boolean asksAllClients;
        boolean virtualThreads;
        Limits limits = Limits.STANDARD;
        Time time = Time.SYSTEM;

        @Nullable
        Tracer tracer;

        Connection.@Nullable Listener listener;

        Consumer<Problem> onProblem = new ProblemLog("dev.acp4j.Agent");

        private Builder(String name, String version) {
            this.name = name;
            this.version = version;
            this.extensions = new Extensions<>(Method.Side.AGENT);
        }

        /** Returns a copy that later changes of this one do not concern. */
        private Builder copy() {
            try {
                Builder copy = (Builder) clone();
                copy.extensions = new Extensions<>(extensions);
                copy.capabilities = new LinkedHashMap<>(capabilities);
                copy.onDisconnect = List.copyOf(onDisconnect);
                copy.onSessionOpening = List.copyOf(onSessionOpening);
                copy.onSessionEnd = List.copyOf(onSessionEnd);
                Set<Feature> all = new HashSet<>(supported);
                if (supported.contains(Feature.SYSTEM_PROMPT_OVERRIDE)) {
                    all.add(Feature.SYSTEM_PROMPT);
                }
                if (handles(onAuthStatus, AgentMethods.AUTH_STATUS)) {
                    all.add(Feature.AUTH_STATUS);
                }
                copy.supported = Set.copyOf(all);
                copy.incoming = List.copyOf(incoming);
                copy.outgoing = List.copyOf(outgoing);
                return copy;
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        /** Whether a method has a handler of its own, or one in its general form. */
        boolean handles(@Nullable Object handler, Method<?, ?> method) {
            return handler != null || extensions.handles(method.name());
        }

        /** Whether the agent answers prompts. One that does not has no sessions at all. */
        boolean hasSessions() {
            return handles(onPrompt, AgentMethods.PROMPT);
        }

        private boolean handlesSessions() {
            return onNewSession != null
                    || onLoadSession != null
                    || onResumeSession != null
                    || onCloseSession != null
                    || onListSessions != null
                    || onDeleteSession != null
                    || onSetMode != null
                    || onSetConfigOption != null;
        }

        /** Returns the capabilities that no feature stands for, for one client. */
        Rest unknown(AgentDialect client) {
            Rest all = Rest.of(capabilitiesMeta);
            for (var capability : capabilities.entrySet()) {
                RawJson value = capability.getValue().apply(client.capabilities());
                if (value != null) {
                    all = all.with(capability.getKey(), value);
                }
            }
            return all;
        }

        Implementation info() {
            return new Implementation(name, title, version, Rest.NONE);
        }

        /** Sets the name for people. */
        public Builder title(String value) {
            title = value;
            return this;
        }

        /**
         * Sets the versions of the protocol that the agent speaks; without this, version 1. Each client is served in
         * the newest of them that it asks for, by the same handlers. Version 2 is a draft.
         *
         * <pre>{@code
         * agent.protocol(Version.V1, Version.V2);
         * }</pre>
         *
         * @throws IllegalArgumentException without a version
         */
        public Builder protocol(Version... spoken) {
            versions = UnsupportedVersion.spoken(spoken);
            return this;
        }

        /**
         * Sets the handler of prompts. Without it the agent has no sessions: it needs a handler of another request, see
         * {@link #on(Method, Peer.RequestHandler)}, and answers {@code session/new} with <em>method not found</em>.
         */
        public Builder onPrompt(PromptHandler handler) {
            onPrompt = handler;
            return this;
        }

        /** Sets a handler for new sessions. Optional: every agent accepts {@code session/new}. */
        public Builder onNewSession(SessionHandler handler) {
            onNewSession = handler;
            return this;
        }

        /**
         * Offers {@code session/load}: the handler replays the conversation through the session's update methods. It
         * also runs when a client attaches to a session that others have open. What it sends goes to the client that
         * loads; updates that a turn sends meanwhile follow.
         */
        public Builder onLoadSession(SessionHandler handler) {
            onLoadSession = handler;
            return this;
        }

        /**
         * Offers {@code session/resume}: the handler restores the session and must not replay the conversation. It also
         * runs when a client attaches to a session that others have open.
         */
        public Builder onResumeSession(SessionHandler handler) {
            onResumeSession = handler;
            return this;
        }

        /**
         * Offers {@code session/close}, which ends the session for all clients. The handler frees what the session
         * holds; its turns have ended before. It is called once for each session, also when it is deleted, loaded anew
         * by its only client, or ends because the last client has left. A session whose opening handler fails is none:
         * that handler frees what it has taken.
         */
        public Builder onCloseSession(SessionHandler handler) {
            onCloseSession = handler;
            return this;
        }

        /** Offers {@code session/list}. */
        public Builder onListSessions(ListSessionsHandler handler) {
            onListSessions = handler;
            return this;
        }

        /** Offers {@code session/delete}. */
        public Builder onDeleteSession(DeleteSessionHandler handler) {
            onDeleteSession = handler;
            return this;
        }

        /** Handles {@code session/set_mode}, for sessions that offer modes. */
        public Builder onSetMode(SetModeHandler handler) {
            onSetMode = handler;
            return this;
        }

        /** Handles {@code session/set_config_option}, for sessions that offer config options. */
        public Builder onSetConfigOption(SetConfigOptionHandler handler) {
            onSetConfigOption = handler;
            return this;
        }

        /**
         * Sets the methods with which users can authenticate. All of them are advertised, except that a method in a
         * terminal is left out for a client that does not support it.
         */
        public Builder onAuthenticate(List<AuthMethod> methods, AuthenticateHandler handler) {
            authMethods = List.copyOf(methods);
            onAuthenticate = handler;
            return this;
        }

        /** Offers {@code logout}. */
        public Builder onLogout(LogoutHandler handler) {
            onLogout = handler;
            return this;
        }

        /** Offers {@code session/fork}, a draft: the handler gives a new session what another one knows. */
        @Unstable
        public Builder onForkSession(ForkSessionHandler handler) {
            onForkSession = handler;
            return this;
        }

        /**
         * Offers {@code session/archive} and {@code session/unarchive}, a draft. The handler of lists must then
         * {@linkplain ListSessionsRequest#archived() filter}, and say of each session whether it is archived.
         */
        @Unstable
        public Builder onArchiveSession(ArchiveSessionHandler handler) {
            onArchiveSession = handler;
            return this;
        }

        /**
         * Offers {@code session/status}, a draft. Open sessions are answered without the handler, which knows those
         * that are stored.
         */
        @Unstable
        public Builder onSessionStatus(SessionStatusHandler handler) {
            onSessionStatus = handler;
            return this;
        }

        /** Offers {@code session/set_title}, a draft. Other clients of an open session get the new title. */
        @Unstable
        public Builder onSetTitle(SetTitleHandler handler) {
            onSetTitle = handler;
            return this;
        }

        /**
         * Offers {@code auth/status}, a draft; {@link ConnectedClient#authStatus} reports changes. Must not ask for
         * authentication.
         */
        @Unstable
        public Builder onAuthStatus(AuthStatusHandler handler) {
            onAuthStatus = handler;
            return this;
        }

        /** Offers {@code providers/list}, {@code providers/set} and {@code providers/disable}, a draft. */
        @Unstable
        public Builder onProviders(ProvidersHandler handler) {
            onProviders = handler;
            return this;
        }

        /**
         * Advertises features that need no handler: images, audio or embedded resources in prompts, MCP servers over
         * stdio (in version 2), HTTP or SSE, additional folders; and of drafts system prompts, MCP servers over ACP,
         * plans by id, subagents. A feature that needs a handler is advertised by setting the handler.
         *
         * @throws IllegalArgumentException when a handler or the client is what it takes
         */
        public Builder supports(Feature... features) {
            for (Feature feature : features) {
                if (!SAID.contains(feature)) {
                    throw new IllegalArgumentException(feature + ": not for the agent to say, or said by its handler");
                }
                supported.add(feature);
            }
            return this;
        }

        /** Sets the {@code _meta} of the answer to {@code initialize}; none without it. */
        public Builder meta(Meta value) {
            meta = value;
            return this;
        }

        /** Sets the {@code _meta} of the capabilities, where extensions are advertised; none without it. */
        public Builder capabilitiesMeta(Meta value) {
            capabilitiesMeta = value;
            return this;
        }

        /**
         * Advertises a capability that this library does not know; {@link Peer#capability} reads it at the other side.
         *
         * @param name the name of the member
         * @param value its value
         * @throws IllegalArgumentException when the library knows the capability: its handler advertises it
         */
        public Builder capability(String name, RawJson value) {
            return capability(name, client -> value);
        }

        /**
         * Advertises a capability whose value depends on the client. The function is called when a connection is
         * initialized, on the thread that reads it, so it must not wait.
         *
         * @param name the name of the member
         * @param value returns its value, or null to omit it, for a client with these capabilities, those that the
         *     library knows excepted
         * @throws IllegalArgumentException when the library knows the capability: its handler advertises it
         */
        public Builder capability(String name, Function<Rest, @Nullable RawJson> value) {
            Extensions.requireUnknown(name, Codecs.agentCapabilities(), Codecs.agentCapabilitiesV2());
            capabilities.put(name, value);
            return this;
        }

        /**
         * Adds an action for the end of the connection of a client, after its last handler has returned and its
         * sessions have ended. It frees what an extension holds for the client.
         */
        public Builder onDisconnect(Consumer<? super ConnectedClient> action) {
            onDisconnect.add(action);
            return this;
        }

        /**
         * Adds an action that runs before the handler of each request that opens a session, new or again, or attaches a
         * client to one: it prepares what an extension has for the session. What it throws refuses the request.
         */
        public Builder onSessionOpening(SessionHandler action) {
            onSessionOpening.add(action);
            return this;
        }

        /**
         * Adds an action for the end of each session, after its turns and {@link #onCloseSession}: it frees what an
         * extension holds for the session, also when opening it failed. Unlike that handler it offers nothing.
         */
        public Builder onSessionEnd(SessionHandler action) {
            onSessionEnd.add(action);
            return this;
        }

        /**
         * Sets the supplier of ids of new sessions. It must be thread-safe, and must never return the same id twice,
         * nor the id of a session that can still be loaded. Opening a session fails if a session with its id is open.
         */
        public Builder sessionIds(Supplier<SessionId> value) {
            sessionIds = value;
            return this;
        }

        /** Sets what opens a new session elsewhere, and gives it its id, in the place of {@link #sessionIds}. */
        Builder opensAs(Opener value) {
            opener = value;
            isTranslator = true;
            return this;
        }

        /** Sets what takes all methods of extensions that have no handler. */
        Builder others(Extensions.Others<ConnectedClient> value) {
            extensions.others(value);
            return this;
        }

        /**
         * Sets how long a session lives without any client, so that clients may come back; zero, the default, means
         * that it ends when the last client leaves. {@link Agent#endSessions} ends those that are kept.
         *
         * @throws IllegalArgumentException when the time is negative
         */
        public Builder keepSessions(Duration time) {
            if (time.isNegative()) {
                throw new IllegalArgumentException("a time to keep sessions must not be negative: " + time);
            }
            keepSessions = time;
            return this;
        }

        /**
         * Sets whether questions (permissions, elicitations) go to all attached clients that can answer. By default
         * they go to the one that prompted. The first answer wins, and the other clients are asked to forget the
         * question. An error, or an answer that nothing was decided, does not count while others may still answer.
         */
        public Builder asksAllClients(boolean value) {
            asksAllClients = value;
            return this;
        }

        /**
         * Sets whether handlers run on virtual threads, for an agent with many turns at once that mostly wait, such as
         * for a model elsewhere. By default each turn has a platform thread while it runs. A handler that computes,
         * reads files or the output of a process, or, before Java 24, waits in a {@code synchronized} block, keeps one
         * of the few carriers of virtual threads: over HTTP it then holds up all clients, their cancellations included.
         */
        public Builder virtualThreads(boolean value) {
            virtualThreads = value;
            return this;
        }

        /** Sets other bounds than {@link Limits#STANDARD}. */
        public Builder limits(Limits value) {
            limits = value;
            return this;
        }

        /** Sets the clock, for tests. */
        public Builder time(Time value) {
            time = value;
            return this;
        }

        /**
         * Records the messages of all connections, with this end named {@code agent} and the other {@code client}.
         * Without a change to the program, the environment variable {@code ACP4J_TRACE} or the system property
         * {@code acp4j.trace} names a folder that gets a file for each connection.
         */
        public Builder trace(Tracer value) {
            tracer = value;
            return this;
        }

        Transport traced(Transport transport) {
            Transport recorded = Recordings.of(transport, name, "agent", "client", null);
            return tracer == null ? recorded : tracer.watch(recorded, "agent", "client");
        }

        /** Sets the listener that measures the connections. */
        public Builder connectionListener(Connection.Listener value) {
            listener = value;
            return this;
        }

        /**
         * Sets a listener for problems that a connection survives. By default they are logged to the
         * {@link System.Logger} {@code dev.acp4j.Agent}.
         */
        public Builder onProblem(Consumer<Problem> value) {
            onProblem = value;
            return this;
        }

        /**
         * Sets the handler of a method. For a method of the protocol, the handler replaces the library's own handling;
         * the capability is still advertised.
         *
         * @throws IllegalArgumentException when the method is one of the other side, is {@code initialize}, which only
         *     the library answers, or already has a handler
         */
        public <P, R> Builder on(Method<P, R> method, Peer.RequestHandler<? super ConnectedClient, P, R> handler) {
            extensions.on(method, handler);
            return this;
        }

        /** Answers a method with raw JSON; see {@link #on(Method, Peer.RequestHandler)}. */
        public Builder on(String method, Peer.RequestHandler<? super ConnectedClient, RawJson, RawJson> handler) {
            return on(Extensions.raw(method), handler);
        }

        /**
         * Sets the handler of a notification. For a notification of the protocol, the handler replaces the library's
         * own handling.
         *
         * @throws IllegalArgumentException when the notification is one of the other side, is {@code $/cancel_request},
         *     or already has a handler
         */
        public <P> Builder onNotification(
                Method<P, ?> method, Peer.NotificationHandler<? super ConnectedClient, P> handler) {
            extensions.onNotification(method, handler);
            return this;
        }

        /** Receives a notification as raw JSON; see {@link #onNotification(Method, Peer.NotificationHandler)}. */
        public Builder onNotification(
                String method, Peer.NotificationHandler<? super ConnectedClient, RawJson> handler) {
            return onNotification(Extensions.raw(method), handler);
        }

        /**
         * Adds an interceptor of every message from a client, which may observe, change, answer, drop or delay it.
         * Interceptors are called in the order in which they were added.
         */
        public Builder interceptIncoming(Interceptor interceptor) {
            incoming.add(peer -> interceptor);
            return this;
        }

        /** Adds an interceptor of every message to a client; see {@link #interceptIncoming(Interceptor)}. */
        public Builder interceptOutgoing(Interceptor interceptor) {
            outgoing.add(peer -> interceptor);
            return this;
        }

        /**
         * Changes the params of each request or notification of a method from a client.
         *
         * @param method the method
         * @param change returns the new params
         */
        public <P> Builder changeIncoming(Method<P, ?> method, UnaryOperator<P> change) {
            incoming.add(Extensions.changing(method, change));
            return this;
        }

        /**
         * Changes the params of each request or notification of a method to a client.
         *
         * @param method the method
         * @param change returns the new params
         */
        public <P> Builder changeOutgoing(Method<P, ?> method, UnaryOperator<P> change) {
            outgoing.add(Extensions.changing(method, change));
            return this;
        }

        /**
         * Returns the agent. Later changes of the builder do not affect it.
         *
         * @throws IllegalStateException when there is neither a handler of prompts nor one of another request, when
         *     there are handlers of sessions without one of prompts, or when one is missing that another needs
         */
        public Agent build() {
            if (!hasSessions() && !extensions.handlesAny()) {
                throw new IllegalStateException("an agent needs onPrompt(…), or on(…) if it has no sessions");
            }
            if (!hasSessions() && handlesSessions()) {
                throw new IllegalStateException("handlers of sessions need onPrompt(…): without it there are none");
            }
            if (versions.contains(Version.V2) && !authMethods.isEmpty() && !handles(onLogout, AgentMethods.LOGOUT_V2)) {
                throw new IllegalStateException("version 2 of the protocol needs onLogout(…) beside onAuthenticate(…)");
            }
            if (onArchiveSession != null && !handles(onListSessions, AgentMethods.LIST_SESSIONS)) {
                throw new IllegalStateException("onArchiveSession(…) needs onListSessions(…)");
            }
            return new Agent(copy());
        }

        /** Builds the agent and serves one connection; see {@link Agent#serve(Transport)}. */
        public void serve(Transport transport) throws InterruptedException {
            build().serve(transport);
        }

        /** Builds the agent and serves all connections; see {@link Agent#serve(Acceptor)}. */
        public void serve(Acceptor acceptor) throws InterruptedException {
            build().serve(acceptor);
        }
    }

    /** Opens a session elsewhere, before it exists here. */
    interface Opener {
        /** Opens a session, which is forked from another one unless that is null. */
        SessionId open(SessionSetup setup, @Nullable SessionId source) throws Exception;
    }

    /** Answers a prompt: runs one turn on the agent's side. */
    @FunctionalInterface
    public interface PromptHandler {
        /**
         * Answers a prompt. Runs on a thread of its own; turns of one session run one after another, turns of several
         * sessions concurrently. When the client cancels the turn, the thread is interrupted, and the turn ends with
         * stop reason {@code cancelled}, whatever the handler throws.
         *
         * @param turn the prompt, and the methods to answer it; returning ends the turn with {@code end_turn}, or with
         *     the reason given to {@link AgentTurn#stop}
         * @throws Exception to fail the request: a {@link dev.acp4j.rpc.RpcError} reaches the client as it is, anything
         *     else as internal error
         */
        void prompt(AgentTurn turn) throws Exception;
    }

    /** Opens, loads, resumes or closes a session on the agent's side. */
    @FunctionalInterface
    public interface SessionHandler {
        /**
         * Handles the session. What it sets on the session (modes, config options) before it returns goes into the
         * response.
         *
         * @param session the session
         * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the client as it is, for example
         *     {@link dev.acp4j.rpc.RpcError#sessionNotFound}; anything else as internal error
         */
        void handle(AgentSession session) throws Exception;
    }

    /** Switches a session's mode when the client asks for it. */
    @FunctionalInterface
    public interface SetModeHandler {
        /**
         * Switches the mode. The session already knows it as its current mode when this is called.
         *
         * @param session the session
         * @param mode one of the modes that the session offers
         * @throws Exception to refuse, as for {@link PromptHandler#prompt}; the session then keeps its former mode
         */
        void setMode(AgentSession session, SessionModeId mode) throws Exception;
    }

    /** Changes a session's configuration when the client asks for it. */
    @FunctionalInterface
    public interface SetConfigOptionHandler {
        /**
         * Sets an option.
         *
         * @param session the session
         * @param option which option
         * @param value its new value
         * @return all options of the session as they are now, since one may depend on another
         * @throws Exception to refuse, as for {@link PromptHandler#prompt}
         */
        List<SessionConfigOption> set(AgentSession session, SessionConfigId option, SessionConfigOptionValue value)
                throws Exception;
    }

    /** Lists the sessions that an agent can load or resume. */
    @FunctionalInterface
    public interface ListSessionsHandler {
        /**
         * Returns one page of sessions.
         *
         * @param client the client
         * @param request the folder to list for, and the cursor of the page
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        ListSessionsResponse list(ConnectedClient client, ListSessionsRequest request) throws Exception;
    }

    /** Removes a stored session. */
    @FunctionalInterface
    public interface DeleteSessionHandler {
        /**
         * Deletes the session. If it is active, its turns have been cancelled before. Must succeed if the session does
         * not exist.
         *
         * @param client the client
         * @param session the session to delete
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        void delete(ConnectedClient client, SessionId session) throws Exception;
    }

    /** Authenticates the user. */
    @FunctionalInterface
    public interface AuthenticateHandler {
        /**
         * Authenticates with one of the methods that the agent offers. There is no timeout, because a person may be
         * involved.
         *
         * @param client the client
         * @param method the chosen method
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        void authenticate(ConnectedClient client, AuthMethodId method) throws Exception;
    }

    /** Ends the user's authentication. */
    @FunctionalInterface
    public interface LogoutHandler {
        /**
         * Logs the user out.
         *
         * @param client the client
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        void logout(ConnectedClient client) throws Exception;
    }

    /** Forks a session. */
    @FunctionalInterface
    @Unstable
    public interface ForkSessionHandler {
        /**
         * Gives a new session what another one knows, without changing that one.
         *
         * @param session the new session; what the handler sets on it (modes, config options) goes into the response
         * @param source the session to fork, which need not be open
         * @throws Exception to refuse, as for {@link SessionHandler#handle}
         */
        void fork(AgentSession session, SessionId source) throws Exception;
    }

    /** Archives stored sessions and returns them to ordinary lists. */
    @FunctionalInterface
    @Unstable
    public interface ArchiveSessionHandler {
        /**
         * Archives the session or returns it from the archive. Must succeed if it is there already, and keeps the id
         * and all that is stored. A session to be archived has been closed before.
         *
         * @param client the client
         * @param session the session
         * @param archived whether the session is archived from now on
         * @throws Exception to refuse, as for {@link SessionHandler#handle}
         */
        void archive(ConnectedClient client, SessionId session, boolean archived) throws Exception;
    }

    /** Knows which sessions are stored. */
    @FunctionalInterface
    @Unstable
    public interface SessionStatusHandler {
        /**
         * Returns whether a session that is not open can be loaded or resumed. Must change nothing.
         *
         * @param client the client
         * @param session the session
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        boolean isSaved(ConnectedClient client, SessionId session) throws Exception;
    }

    /** Names sessions as users want them to be called. */
    @FunctionalInterface
    @Unstable
    public interface SetTitleHandler {
        /**
         * Stores the title, which the agent should not replace by one of its own afterwards.
         *
         * @param client the client
         * @param session the session, which need not be open
         * @param title the title that the user gave
         * @return the title as it was stored
         * @throws Exception to refuse: {@link dev.acp4j.rpc.RpcError#invalidParams} for a title that will not do,
         *     {@link dev.acp4j.rpc.RpcError#sessionNotFound}
         */
        String set(ConnectedClient client, SessionId session, String title) throws Exception;
    }

    /** Knows whether and how the user is logged in. */
    @FunctionalInterface
    @Unstable
    public interface AuthStatusHandler {
        /**
         * Returns whether and how the user is logged in.
         *
         * @param client the client
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        AuthStatus status(ConnectedClient client) throws Exception;
    }

    /**
     * Lets clients say where requests to models go. Must not store what it is given: it is for this process. Changes
     * concern at least the sessions that are opened later.
     *
     * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Configurable providers</a>
     */
    @Unstable
    public interface ProvidersHandler {
        /**
         * Returns all providers that can be configured, disabled ones included.
         *
         * @param client the client
         * @throws Exception to fail the request, as for {@link PromptHandler#prompt}
         */
        List<ProviderInfo> list(ConnectedClient client) throws Exception;

        /**
         * Replaces the configuration of a provider, which is one of the list, by one for a protocol that it supports.
         *
         * @param client the client
         * @param configuration the whole configuration; its headers may be secrets
         * @throws Exception to refuse, as for {@link PromptHandler#prompt}
         */
        void set(ConnectedClient client, SetProviderRequest configuration) throws Exception;

        /**
         * Disables a provider, which is one of the list and not required: no request may go to it until it is set
         * again.
         *
         * @param client the client
         * @param provider the provider
         * @throws Exception to refuse, as for {@link PromptHandler#prompt}
         */
        void disable(ConnectedClient client, ProviderId provider) throws Exception;
    }
}
