package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Connector;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.CreateTerminalRequest;
import dev.acp4j.schema.CreateTerminalResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.KillTerminalRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.ReleaseTerminalRequest;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.TerminalOutputRequest;
import dev.acp4j.schema.TerminalOutputResponse;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import dev.acp4j.schema.WaitForTerminalExitRequest;
import dev.acp4j.schema.WaitForTerminalExitResponse;
import dev.acp4j.schema.WriteTextFileRequest;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A client of coding agents: an editor, a chat, an unattended job. It advertises the capabilities that it has handlers
 * for. Capabilities that need no handler (notices, compactions, options that are on or off) are part of the session's
 * view and always advertised. A client is immutable, thread-safe, and may connect to many agents.
 *
 * <p>A client starts an agent as a process, opens a session and prompts. Closing the connection ends the agent:
 *
 * <pre>{@code
 * try (var agent = Client.builder("ask", "1.0").connect(launch);
 *         var session = agent.newSession(folder)) {
 *     return session.prompt(question).text();
 * }
 * }</pre>
 *
 * <p>Handlers answer the agent's requests. Without {@link Builder#onPermission} every permission is rejected, and
 * without handlers of files and terminals the agent is not offered them; the module {@code dev.acp4j.workspace} has
 * those. A handler of permissions:
 *
 * <pre>{@code
 * static RequestPermissionOutcome decide(PermissionQuestion request) {
 *     var call = request.toolCall();
 *     return call != null && HARMLESS.contains(call.kind()) ? request.allowOnce() : request.rejectOnce();
 * }
 * }</pre>
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/overview">The protocol</a>
 */
public final class Client {
    private final Builder config;

    private Client(Builder config) {
        this.config = config;
    }

    /**
     * Begins a client.
     *
     * @param name its name for programs, for example {@code my-editor}
     * @param version its version
     */
    public static Builder builder(String name, String version) {
        return new Builder(name, version);
    }

    /**
     * Connects over a transport and initializes the connection.
     *
     * @throws InterruptedException when interrupted; the transport is then closed
     * @throws dev.acp4j.rpc.RpcException when the agent does not answer properly; the transport is then closed
     */
    public ConnectedAgent connect(Transport transport) throws InterruptedException {
        return connect(transport, new Failures("the agent"));
    }

    /**
     * Opens a transport to an agent elsewhere, connects over it and initializes the connection.
     *
     * @throws InterruptedException when interrupted; nothing is left open
     * @throws dev.acp4j.rpc.RpcException when the agent cannot be reached or does not answer properly
     */
    public ConnectedAgent connect(Connector connector) throws InterruptedException {
        Transport transport;
        try {
            transport = connector.open();
        } catch (IOException e) {
            throw new ConnectionClosedException("cannot connect: " + e.getMessage(), null, e);
        }
        return connect(transport);
    }

    /**
     * Starts an agent, connects to it and initializes the connection. Closing the connection ends the agent and every
     * process that it started.
     *
     * @throws InterruptedException when interrupted; the agent is then ended
     * @throws ProcessFailedException when the agent cannot be started, dies or does not answer in time; it says why
     * @throws dev.acp4j.rpc.RpcException when the agent does not answer properly; it is then ended
     */
    public ConnectedAgent connect(Launch launch) throws InterruptedException {
        LaunchedProcess process;
        try {
            process = launch.start();
        } catch (IOException e) {
            throw new ProcessFailedException(launch.report(e), null, e);
        }
        boolean connected = false;
        try {
            ConnectedAgent agent = connect(process.transport(), new Failures("the agent", process));
            connected = true;
            return agent;
        } finally {
            if (!connected) {
                process.close();
            }
        }
    }

    ConnectedAgent connect(Transport transport, Failures failures) throws InterruptedException {
        ConnectedAgent agent = new ConnectedAgent(config, failures);
        ClientRouter router = new ClientRouter(config, agent);
        Connection unused = Connection.builder(config.traced(transport, failures::redaction), router)
                .name(config.name)
                .limits(config.limits)
                .time(config.time)
                .interceptIncoming(Extensions.of(config.incoming, agent))
                .interceptOutgoing(Extensions.of(config.outgoing, agent))
                .answerNoise(false)
                // An agent whose output has ended can do nothing with an answer.
                .answersAfterInput(false)
                .onProblem(config.onProblem)
                .listener(config.listener)
                .onEnded(agent::ended)
                .secrets(failures::withoutSecrets)
                .closedExceptions((method, failure) -> failures.closed(agent.rpcOrNull(), method, failure))
                .start();
        boolean ready = false;
        try {
            initialize(agent, failures);
            ready = true;
        } finally {
            if (!ready) {
                agent.close();
            }
        }
        return agent;
    }

    private void initialize(ConnectedAgent agent, Failures failures) throws InterruptedException {
        try {
            initialize(agent, failures, config.newest());
        } catch (RpcError e) {
            Version other = UnsupportedVersion.other(e, config);
            if (other == null) {
                throw e;
            }
            initialize(agent, failures, other);
        }
    }

    private void initialize(ConnectedAgent agent, Failures failures, Version version) throws InterruptedException {
        Call call = ClientDialect.initialize(config, version).start(agent.rpc(), answered -> {
            try {
                agent.bind(ClientDialect.of(answered, config), answered.answer().orElse(null));
            } catch (RpcException e) {
                // It is thrown again below, to the caller.
            }
            return null;
        });
        try {
            RawJson unused = call.await(config.startTimeout);
        } catch (RequestTimeoutException e) {
            throw failures.notAnswering(agent.rpc(), e);
        }
        if (!agent.isInitialized()) {
            ClientDialect unused = ClientDialect.of(call, config);
        }
    }

    /** Builds a {@link Client}. Each handler advertises its capability. */
    public static final class Builder implements Cloneable {
        final String name;
        final String version;
        Extensions<ConnectedAgent> extensions;
        List<Extensions.Interception> incoming = new ArrayList<>();
        List<Extensions.Interception> outgoing = new ArrayList<>();
        List<Session.Listener> listeners;

        @Nullable
        String title;

        @Nullable
        PermissionHandler onPermission;

        @Nullable
        ElicitationHandler onElicitation;

        Set<Feature> elicitationModes = Set.of(Feature.FORMS, Feature.PAGES);

        @Nullable
        ReadTextFileHandler onReadTextFile;

        @Nullable
        WriteTextFileHandler onWriteTextFile;

        @Nullable
        TerminalHandler terminals;

        boolean terminalAuthentication;
        boolean agentTerminals;
        boolean sessionFailures;
        Set<Feature> supported = Set.of();

        @Nullable
        AuthStatusHandler onAuthStatus;

        @Nullable
        SetupHandler onSessionSetup;

        @Nullable
        Consumer<RequestId> onCall;

        ClientDialect.@Nullable UpdateHandler onUpdate;

        boolean keepsMessages = true;
        Duration startTimeout = Duration.ofSeconds(60);
        Meta meta = Meta.EMPTY;
        Meta capabilitiesMeta = Meta.EMPTY;
        Rest capabilities = Rest.NONE;
        Set<Version> versions = Set.of(Version.V1);
        Limits limits = Limits.STANDARD;
        Time time = Time.SYSTEM;

        @Nullable
        Tracer tracer;

        Connection.@Nullable Listener listener;

        Consumer<Problem> onProblem = new ProblemLog("dev.acp4j.Client");

        private Builder(String name, String version) {
            this.name = name;
            this.version = version;
            this.extensions = new Extensions<>(Method.Side.CLIENT);
            this.listeners = new ArrayList<>();
        }

        /** Returns a copy that later changes of this one do not concern. */
        private Builder copy() {
            try {
                Builder copy = (Builder) clone();
                copy.extensions = new Extensions<>(extensions);
                copy.listeners = List.copyOf(listeners);
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

        Implementation info() {
            return Implementation.builder(name, version).title(title).build();
        }

        /** Sets the name for people. */
        public Builder title(String value) {
            title = value;
            return this;
        }

        /** Sets the handler of permission requests. Without it, every request is rejected. */
        public Builder onPermission(PermissionHandler handler) {
            onPermission = handler;
            return this;
        }

        /** Offers elicitation: asking the user for input, by forms and by web pages. */
        public Builder onElicitation(ElicitationHandler handler) {
            return onElicitation(handler, Feature.FORMS, Feature.PAGES);
        }

        /**
         * Offers elicitation by forms only, or by web pages only. Requests for the other are refused before the handler
         * sees them.
         *
         * @param modes {@link Feature#FORMS}, {@link Feature#PAGES} or both
         * @throws IllegalArgumentException for another feature, or none
         */
        public Builder onElicitation(ElicitationHandler handler, Feature... modes) {
            Set<Feature> offered = Set.of(modes);
            if (offered.isEmpty() || !Set.of(Feature.FORMS, Feature.PAGES).containsAll(offered)) {
                throw new IllegalArgumentException("expected FORMS, PAGES or both, got " + List.of(modes));
            }
            onElicitation = handler;
            elicitationModes = offered;
            return this;
        }

        /** Offers to read text files. */
        public Builder onReadTextFile(ReadTextFileHandler handler) {
            onReadTextFile = handler;
            return this;
        }

        /** Offers to write text files. */
        public Builder onWriteTextFile(WriteTextFileHandler handler) {
            onWriteTextFile = handler;
            return this;
        }

        /** Offers to run commands in terminals. */
        public Builder terminals(TerminalHandler handler) {
            terminals = handler;
            return this;
        }

        /** Sets whether the client can run an agent's own login in a terminal. */
        public Builder terminalAuthentication(boolean value) {
            terminalAuthentication = value;
            return this;
        }

        /**
         * Announces that the client shows terminals in which an agent of version 1 runs commands by itself: those of
         * {@link SessionView#terminal}. This is a dialect of Zed and JetBrains that Claude, Codex and others speak; to
         * clients that do not announce it some of them send the output as text when the command has ended.
         */
        public Builder agentTerminals(boolean value) {
            agentTerminals = value;
            return this;
        }

        /**
         * Announces that the client takes failures in a form that programs can act on; see {@link SessionFailure}. This
         * is a dialect of JetBrains. It makes agents treat this client as one of JetBrains in other respects, too:
         * Codex then reports its tool calls in another way, which the session's view takes up. A member
         * {@code jetbrains} of {@link #capabilitiesMeta} stays as it is.
         */
        public Builder sessionFailures(boolean value) {
            sessionFailures = value;
            return this;
        }

        /**
         * Switches on updates of drafts that {@link SessionView} takes up: {@link Feature#PLANS} and
         * {@link Feature#SUBAGENTS}. A client of version 1 advertises them; those of version 2 know them all.
         *
         * @throws IllegalArgumentException for another feature, which a handler or the agent offers
         */
        @Unstable
        public Builder supports(Feature... features) {
            Set<Feature> all = new HashSet<>(supported);
            all.addAll(List.of(features));
            if (!Set.of(Feature.PLANS, Feature.SUBAGENTS).containsAll(all)) {
                throw new IllegalArgumentException("expected PLANS, SUBAGENTS or both, got " + List.of(features));
            }
            supported = Set.copyOf(all);
            return this;
        }

        /**
         * Sets the handler that is called when an agent that offers {@link Feature#AUTH_STATUS} reports whether and how
         * the user is logged in: soon after the connection was opened, and after each change.
         */
        @Unstable
        public Builder onAuthStatus(AuthStatusHandler handler) {
            onAuthStatus = handler;
            return this;
        }

        /**
         * Sets what sees each setup before an agent does, and may change it: to start what a session needs, such as a
         * server of tools, and to end it with the session.
         *
         * @throws IllegalStateException when there is one already
         */
        public Builder onSessionSetup(SetupHandler handler) {
            if (onSessionSetup != null) {
                throw new IllegalStateException("setups of sessions already have a handler");
            }
            onSessionSetup = handler;
            return this;
        }

        /** Adds a listener for the events of all sessions, including sessions that were not opened by this client. */
        public Builder onEvent(Session.Listener listener) {
            listeners.add(listener);
            return this;
        }

        /**
         * Sets whether messages are kept for {@link SessionView#messages()} and {@link Turn#text()}; the default is
         * true. They take memory up to {@link Limits#viewBytes()}. A program that only prints each piece as it arrives
         * does not need them: its view then has no messages, and its turns have no text. A piece of an earlier message
         * than the last one then counts as the first piece of a message.
         */
        public Builder keepsMessages(boolean value) {
            keepsMessages = value;
            return this;
        }

        /**
         * Sets the timeout for the agent's answer to {@code initialize}; the default is 60 seconds. Zero means no
         * timeout.
         *
         * @throws IllegalArgumentException when it is negative
         */
        public Builder startTimeout(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("the time to start must not be negative: " + value);
            }
            startTimeout = value;
            return this;
        }

        /** Sets the {@code _meta} of {@code initialize}. */
        public Builder meta(Meta value) {
            meta = value;
            return this;
        }

        /** Sets the {@code _meta} of the capabilities, which advertises extensions. */
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
            Extensions.requireUnknown(name, Codecs.clientCapabilities(), Codecs.clientCapabilitiesV2());
            capabilities = capabilities.with(name, value);
            return this;
        }

        /**
         * Sets the versions of the protocol that the client speaks; without this, version 1. It asks the agent for the
         * newest of them and takes any of them for an answer. Version 2 is a draft.
         *
         * <pre>{@code
         * client.protocol(Version.V1, Version.V2);
         * }</pre>
         *
         * @throws IllegalArgumentException without a version
         */
        public Builder protocol(Version... spoken) {
            versions = UnsupportedVersion.spoken(spoken);
            return this;
        }

        /** Sets what receives each update as it came, behind the listeners. */
        Builder onUpdate(ClientDialect.UpdateHandler handler) {
            onUpdate = handler;
            return this;
        }

        /** Sets what takes all methods of extensions that have no handler. */
        Builder others(Extensions.Others<ConnectedAgent> value) {
            extensions.others(value);
            return this;
        }

        /** Sets what gets the id of each request before it is sent, on the thread that sends it. */
        Builder onCall(Consumer<RequestId> value) {
            onCall = value;
            return this;
        }

        /** Returns the newest version to ask for. */
        Version newest() {
            return Objects.requireNonNull(UnsupportedVersion.newest(versions, Integer.MAX_VALUE));
        }

        /** Sets the limits of connections; the default is {@link Limits#STANDARD}. */
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
         * Records the messages of all connections, with this end named {@code client} and the other {@code agent}.
         * Without a change to the program, the environment variable {@code ACP4J_TRACE} or the system property
         * {@code acp4j.trace} names a folder that gets a file for each connection.
         */
        public Builder trace(Tracer value) {
            tracer = value;
            return this;
        }

        Transport traced(Transport transport, Supplier<Redaction> redaction) {
            Transport recorded = Recordings.of(transport, name, "client", "agent", redaction);
            return tracer == null ? recorded : tracer.watch(recorded, "client", "agent");
        }

        /** Sets the listener that measures the connections. */
        public Builder connectionListener(Connection.Listener value) {
            listener = value;
            return this;
        }

        /**
         * Sets a listener for problems that a connection survives. By default they are logged to the
         * {@link System.Logger} {@code dev.acp4j.Client}.
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
        public <P, R> Builder on(Method<P, R> method, Peer.RequestHandler<? super ConnectedAgent, P, R> handler) {
            extensions.on(method, handler);
            return this;
        }

        /** Answers a method with raw JSON; see {@link #on(Method, Peer.RequestHandler)}. */
        public Builder on(String method, Peer.RequestHandler<? super ConnectedAgent, RawJson, RawJson> handler) {
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
                Method<P, ?> method, Peer.NotificationHandler<? super ConnectedAgent, P> handler) {
            extensions.onNotification(method, handler);
            return this;
        }

        /** Receives a notification as raw JSON; see {@link #onNotification(Method, Peer.NotificationHandler)}. */
        public Builder onNotification(
                String method, Peer.NotificationHandler<? super ConnectedAgent, RawJson> handler) {
            return onNotification(Extensions.raw(method), handler);
        }

        /**
         * Adds an interceptor of every message from an agent, which may observe, change, answer, drop or delay it.
         * Interceptors are called in the order in which they were added.
         */
        public Builder interceptIncoming(Interceptor interceptor) {
            incoming.add(peer -> interceptor);
            return this;
        }

        /** Adds an interceptor of every message to an agent; see {@link #interceptIncoming(Interceptor)}. */
        public Builder interceptOutgoing(Interceptor interceptor) {
            outgoing.add(peer -> interceptor);
            return this;
        }

        /**
         * Changes the params of each request or notification of a method from an agent.
         *
         * @param method the method
         * @param change returns the new params
         */
        public <P> Builder changeIncoming(Method<P, ?> method, UnaryOperator<P> change) {
            incoming.add(Extensions.changing(method, change));
            return this;
        }

        /**
         * Changes the params of each request or notification of a method to an agent.
         *
         * @param method the method
         * @param change returns the new params
         */
        public <P> Builder changeOutgoing(Method<P, ?> method, UnaryOperator<P> change) {
            outgoing.add(Extensions.changing(method, change));
            return this;
        }

        /** Returns the client. Later changes of the builder do not affect it. */
        public Client build() {
            return new Client(copy());
        }

        /** Builds the client and connects; see {@link Client#connect(Transport)}. */
        public ConnectedAgent connect(Transport transport) throws InterruptedException {
            return build().connect(transport);
        }

        /** Builds the client, opens a transport and connects; see {@link Client#connect(Connector)}. */
        public ConnectedAgent connect(Connector connector) throws InterruptedException {
            return build().connect(connector);
        }

        /** Builds the client, starts an agent and connects; see {@link Client#connect(Launch)}. */
        public ConnectedAgent connect(Launch launch) throws InterruptedException {
            return build().connect(launch);
        }
    }

    /** Prepares what sessions ask of an agent. */
    public interface SetupHandler {
        /**
         * Returns the setup to open, load, resume or fork a session with. Runs on the thread of the caller, before the
         * request is sent.
         *
         * @param agent the agent
         * @param setup the setup of the caller
         * @throws InterruptedException when interrupted; the session is not opened
         */
        SessionSetup prepare(ConnectedAgent agent, SessionSetup setup) throws InterruptedException;

        /**
         * The session is closed or detached here, could not be opened, or its connection has ended. May be called more
         * than once, on any thread, and does not wait long.
         *
         * @param prepared what {@link #prepare} has returned
         */
        void ended(SessionSetup prepared);
    }

    /** Decides a permission request of an agent. */
    @FunctionalInterface
    public interface PermissionHandler {
        /**
         * Decides the request. Runs on a thread of its own, without a timeout. The thread is interrupted when the turn
         * is cancelled or the agent withdraws its request. If the handler throws, the answer is <em>cancelled</em>,
         * which allows nothing.
         *
         * @param request the question
         * @return the answer, made with {@link PermissionQuestion#choose} or {@link PermissionQuestion#cancelled}
         * @throws Exception is reported, and answers <em>cancelled</em>
         */
        RequestPermissionOutcome decide(PermissionQuestion request) throws Exception;
    }

    /** Asks the user for input on behalf of an agent. */
    @FunctionalInterface
    public interface ElicitationHandler {
        /**
         * Returns the user's input or decision. Runs on a thread of its own, which is interrupted when the turn is
         * cancelled or the agent withdraws its request; the answer is then <em>cancel</em>.
         *
         * @param request what to ask; URLs in it are the agent's, show them before opening them
         * @throws Exception is reported, and answers <em>cancel</em>
         */
        CreateElicitationResponse elicit(ElicitationQuestion request) throws Exception;

        /**
         * Is called when the agent reports that the user has finished at the page that a request sent the user to: once
         * for each request. Does nothing unless overridden.
         *
         * @param agent the agent
         * @param elicitation the id that the request had
         */
        default void completed(ConnectedAgent agent, ElicitationId elicitation) {}
    }

    /** Learns whether and how the user is logged in. */
    @FunctionalInterface
    @Unstable
    public interface AuthStatusHandler {
        /**
         * Is called for each report, one after another and in order.
         *
         * @param agent the agent
         * @param status the report, which {@link ConnectedAgent#authStatus()} returns from now on
         */
        void changed(ConnectedAgent agent, AuthStatus status);
    }

    /** Reads a text file for an agent. The path comes from the agent and is not checked: the handler must check it. */
    @FunctionalInterface
    public interface ReadTextFileHandler {
        /**
         * Returns the text.
         *
         * @param session the session of the request
         * @param request the file, and optionally a range of lines
         * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the agent as it is, anything else as
         *     internal error
         */
        String read(Session session, ReadTextFileRequest request) throws Exception;
    }

    /** Writes a text file for an agent. The path comes from the agent and is not checked: the handler must check it. */
    @FunctionalInterface
    public interface WriteTextFileHandler {
        /**
         * Writes the text.
         *
         * @param session the session of the request
         * @param request the file and its whole new text
         * @throws Exception to refuse: a {@link dev.acp4j.rpc.RpcError} reaches the agent as it is, anything else as
         *     internal error
         */
        void write(Session session, WriteTextFileRequest request) throws Exception;
    }

    /**
     * Runs commands for an agent. Each method may throw a {@link dev.acp4j.rpc.RpcError}, which reaches the agent as it
     * is; anything else reaches it as internal error.
     *
     * @see <a href="https://agentclientprotocol.com/protocol/v1/terminals">Terminals</a>
     */
    public interface TerminalHandler {
        /** Starts a command. */
        CreateTerminalResponse create(Session session, CreateTerminalRequest request) throws Exception;

        /** Returns the output so far. */
        TerminalOutputResponse output(Session session, TerminalOutputRequest request) throws Exception;

        /** Waits until the command has ended; interrupted when the agent no longer waits. */
        WaitForTerminalExitResponse waitForExit(Session session, WaitForTerminalExitRequest request) throws Exception;

        /** Ends the command and keeps the terminal. */
        void kill(Session session, KillTerminalRequest request) throws Exception;

        /** Ends the command and frees the terminal. */
        void release(Session session, ReleaseTerminalRequest request) throws Exception;

        /** Frees all terminals of a session that has ended, or whose agent is gone. */
        void sessionEnded(Session session);
    }
}
