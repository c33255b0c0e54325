package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Interceptor;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionCategory;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigSelectOption;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Serves a client with an agent that speaks another version of the protocol: an {@link Agent} of the one version joined
 * to a {@link Client} of the other. Sessions keep their ids; turns, questions, options and cancellation are passed on,
 * and updates as far as the client's version can say them.
 *
 * <pre>{@code
 * Translator.serve(Stdio.system(), Version.V1, client -> client.build().connect(launch), problem -> {});
 * }</pre>
 *
 * <p>What cannot be carried: an agent of version 1 gets none of the client's files and terminals, which version 2 does
 * not have. A client of version 1 learns nothing of background work, and sees a message that was replaced as a new one.
 *
 * <p>May be used from one thread; it has threads of its own.
 */
@Unstable
public final class Translator {
    private static final int MOST_EARLY = 1000;

    private final Version served;
    private final Consumer<Problem> onProblem;
    private final ConcurrentHashMap<SessionId, Joint> joints = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<SessionId, AgentSubagent> subagents = new ConcurrentHashMap<>();
    private final AtomicLong questions = new AtomicLong();

    /** How many sessions are just being opened at the agent. */
    private final AtomicInteger opening = new AtomicInteger();

    /** The agent; set before anything of it can come. */
    private @Nullable ConnectedAgent agent;

    private volatile @Nullable ConnectedClient client;

    /** Connects to the agent. */
    @FunctionalInterface
    public interface Connector {
        /**
         * Connects.
         *
         * @param client offers what the client of the translator offers; more may be set
         * @return the connection, which the translator closes
         * @throws InterruptedException when interrupted
         * @throws dev.acp4j.rpc.RpcException when that fails; the client is told
         */
        ConnectedAgent connect(Client.Builder client) throws InterruptedException;
    }

    private Translator(Version served, Consumer<Problem> onProblem) {
        this.served = served;
        this.onProblem = onProblem;
    }

    /**
     * Serves one client until its connection or that of the agent has ended.
     *
     * @param transport where the client is
     * @param served the version that the client gets; the agent is asked for the other
     * @param connector connects to the agent, once the client has said what it offers
     * @param onProblem takes what the connections survive
     * @throws InterruptedException when interrupted; both connections are closed
     * @throws RpcException when there is no connection to the agent; the client was told why
     * @throws ConnectionClosedException when a connection failed
     */
    public static void serve(Transport transport, Version served, Connector connector, Consumer<Problem> onProblem)
            throws InterruptedException {
        new Translator(served, onProblem).serve(new Peeked(transport), connector);
    }

    private Version spoken() {
        return served == Version.V1 ? Version.V2 : Version.V1;
    }

    private void serve(Peeked transport, Connector connector) throws InterruptedException {
        try (transport) {
            Message first;
            try {
                first = transport.peek();
            } catch (IOException e) {
                throw new ConnectionClosedException("the connection failed: " + e.getMessage(), null, e);
            }
            if (first == null) {
                return;
            }
            try (ConnectedAgent connected = connect(transport, first, connector)) {
                agent = connected;
                Agent translated = translated(connected);
                try (ConnectedClient joined = translated.connect(transport)) {
                    client = joined;
                    Thread watch = Thread.ofPlatform()
                            .daemon()
                            .name("acp4j-translator")
                            .start(() -> {
                                try {
                                    connected.awaitClosed();
                                    transport.close();
                                } catch (InterruptedException e) {
                                    // The client has gone first.
                                }
                            });
                    joined.awaitClosed();
                    watch.interrupt();
                }
            }
        }
    }

    // ---- the agent's side

    private ConnectedAgent connect(Peeked transport, Message first, Connector connector) throws InterruptedException {
        try {
            return connector.connect(client(first));
        } catch (RpcException e) {
            RpcError answer = e instanceof RpcError error
                    ? error.asAnswer()
                    : new RpcError(RpcError.INTERNAL_ERROR, "The agent cannot be reached: " + e.getMessage());
            transport.refuse(first, answer);
            throw e;
        }
    }

    /** Returns a client that offers what the one offers whose first message this is. */
    private Client.Builder client(Message first) {
        InitializeRequest asked;
        try {
            asked = first.method().equals(AgentMethods.INITIALIZE.name())
                    ? Requests.decode(AgentMethods.INITIALIZE, Version.V1, first.params())
                    : InitializeRequest.builder(served.number()).build();
        } catch (RpcError e) {
            // It is refused by the agent's side of the translator, which says why.
            asked = InitializeRequest.builder(served.number()).build();
        }
        Dialect offered = served == Version.V1
                ? new AgentDialectV1(asked, Set.of(), onProblem)
                : new AgentDialectV2(asked, Set.of(), onProblem);
        Implementation info = offered.info()
                .orElseGet(() -> Implementation.builder("acp4j-translator", "1").build());
        Client.Builder builder = Client.builder(info.name(), info.version())
                .protocol(spoken())
                .meta(offered.meta())
                .onProblem(onProblem)
                .onPermission(this::permission)
                .terminalAuthentication(offered.supports(Feature.TERMINAL_LOGIN))
                .agentTerminals(true)
                .keepsMessages(false)
                .onUpdate(this::update)
                .onEvent(this::event);
        if (info.title() != null) {
            builder.title(info.title());
        }
        builder.supports(Stream.of(Feature.PLANS, Feature.SUBAGENTS)
                .filter(offered::supports)
                .toArray(Feature[]::new));
        List<Feature> modes = new ArrayList<>();
        for (Feature mode : List.of(Feature.FORMS, Feature.PAGES)) {
            if (offered.supports(mode)) {
                modes.add(mode);
            }
        }
        if (!modes.isEmpty()) {
            builder.onElicitation(new Elicitations(), modes.toArray(Feature[]::new));
        }
        return builder;
    }

    /** Passes on what the session of a subagent says: the client knows it as the agent announced it. */
    private void subagent(Session session, SessionUpdate update, Meta meta) {
        try {
            AgentSubagent subagent = subagent(session);
            if (subagent == null) {
                return;
            }
            if (update instanceof StateUpdate state) {
                subagent.send(state, meta);
            } else {
                subagent.update(update, meta);
            }
        } catch (ConnectionClosedException | IllegalStateException e) {
            // The client has gone, or has closed the session, and misses nothing.
        }
    }

    private @Nullable AgentSubagent subagent(Session session) {
        Joint parent = session.parent().map(Session::id).map(joints::get).orElse(null);
        AgentSession outer = parent == null ? null : parent.outer;
        if (outer == null) {
            return null;
        }
        AgentSubagent known = subagents.get(session.id());
        if (known == null) {
            known = new AgentSubagent(outer, session.id());
            subagents.put(session.id(), known);
            // What its parent says of it comes in another lane, perhaps later.
            known.about(SubagentUpdate.builder(session.id()).build());
        }
        return known;
    }

    private Optional<Joint> joint(Session session) {
        return Optional.ofNullable(joints.get(session.id()));
    }

    /** Passes an update on; those that the library says by itself are left out. */
    private void update(Session session, SessionUpdate update, Meta meta) {
        boolean isOfSubagent = session.parent().isPresent();
        // What an agent says at once of a new session comes before it is known here.
        Joint joint = opening.get() > 0 && !isOfSubagent
                ? joints.computeIfAbsent(session.id(), id -> new Joint(session))
                : joints.get(session.id());
        if (joint == null) {
            if (isOfSubagent) {
                subagent(session, update, meta);
            }
            return;
        }
        switch (update) {
            case StateUpdate state -> {}
            case SessionUpdate.CurrentModeUpdate change -> joint.options(session);
            case SessionUpdate.ConfigOptionUpdate change -> joint.options(session);
            case SessionUpdate.UserMessageChunk piece when joint.isPrompt(piece.content()) -> {}
            case SessionUpdate.UserMessage whole when joint.isPrompt(whole) -> {}
            default -> joint.say(update, meta);
        }
    }

    /** Work that the agent begins by itself is a turn of its own here, too. */
    private void event(Session session, SessionEvent event) {
        if (event instanceof SessionEvent.StateChanged change) {
            joint(session).ifPresent(joint -> joint.state(change.state()));
        }
    }

    private RequestPermissionOutcome permission(PermissionQuestion question) throws InterruptedException {
        Joint joint = joints.get(question.session().id());
        SessionWriter writer = joint == null ? subagent(question.session()) : joint.writer();
        if (writer == null) {
            return question.cancelled();
        }
        Entry.ToolCall call = question.toolCall();
        ToolCallUpdate about = call == null ? made(question) : about(question, call);
        PermissionAnswer answer = writer.requestPermission(about, question.options(), question.meta());
        if (joint != null && call == null) {
            joint.say(
                    ToolCallUpdate.builder(about.toolCallId())
                            .status(ToolCallStatus.COMPLETED)
                            .build(),
                    Meta.EMPTY);
        } else if (joint != null
                && call != null
                && (!about.title().equals(Change.replace(call.title())) || question.description() != null)) {
            // What the question said is not what the tool call is.
            joint.say(
                    ToolCallUpdate.builder(call.id())
                            .title(call.title())
                            .content(call.content())
                            .build(),
                    Meta.EMPTY);
        }
        return answer.option() == null ? question.cancelled() : question.choose(answer.option());
    }

    private static ToolCallUpdate about(PermissionQuestion question, Entry.ToolCall call) {
        List<ToolCallContent> content = new ArrayList<>(call.content());
        String description = question.description();
        if (description != null) {
            content.add(ToolCallContent.text(description));
        }
        return ToolCallUpdate.builder(call.id())
                .title(question.title().isEmpty() ? call.title() : question.title())
                .name(call.name() == null ? Change.keep() : Change.replace(call.name()))
                .kind(call.kind())
                .status(call.status())
                .content(content)
                .locations(call.locations())
                .rawInput(call.rawInput() == null ? Change.keep() : Change.replace(call.rawInput()))
                .rawOutput(call.rawOutput() == null ? Change.keep() : Change.replace(call.rawOutput()))
                .meta(call.meta())
                .build();
    }

    /** Returns a tool call for a question that is about none: version 1 has no other questions. */
    private ToolCallUpdate made(PermissionQuestion question) {
        String description = question.description();
        return ToolCallUpdate.builder(ToolCallId.of("question-" + questions.incrementAndGet()))
                .title(question.title())
                .content(description == null ? List.of() : List.of(ToolCallContent.text(description)))
                .build();
    }

    /** Passes questions on, and that pages were finished. */
    private final class Elicitations implements Client.ElicitationHandler {
        @Override
        public CreateElicitationResponse elicit(ElicitationQuestion question) throws InterruptedException {
            Session session = question.session();
            Joint joint = session == null ? null : joints.get(session.id());
            return joint == null ? question.cancel() : joint.writer().elicit(question.request());
        }

        @Override
        public void completed(ConnectedAgent from, ElicitationId elicitation) {
            ConnectedClient joined = client;
            if (joined != null) {
                try {
                    joined.send(ClientMethods.COMPLETE_ELICITATION, CompleteElicitationNotification.of(elicitation));
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                } catch (ConnectionClosedException e) {
                    // Nobody is there to know it.
                }
            }
        }
    }

    // ---- the client's side

    private Agent translated(ConnectedAgent inner) {
        Implementation info = inner.info()
                .orElseGet(() -> Implementation.builder("acp4j-translator", "1").build());
        Agent.Builder outer = Agent.builder(info.name(), info.version())
                .protocol(served)
                .meta(inner.meta())
                .onProblem(onProblem)
                .opensAs(this::open)
                .supports(Feature.PLANS, Feature.SUBAGENTS)
                .onNewSession(session -> attach(session, required(session.id())))
                .onPrompt(this::prompt)
                .onSetMode(this::setMode)
                .onSetConfigOption(this::setOption)
                .onCloseSession(session -> {
                    Joint joint = joints.remove(session.id());
                    if (joint != null) {
                        joint.inner.close();
                    }
                });
        if (info.title() != null) {
            outer.title(info.title());
        }
        for (Feature feature : List.of(
                Feature.PROMPT_IMAGES,
                Feature.PROMPT_AUDIO,
                Feature.PROMPT_RESOURCES,
                Feature.MCP_STDIO,
                Feature.MCP_HTTP,
                Feature.MCP_SSE,
                Feature.ADDITIONAL_DIRECTORIES,
                Feature.SYSTEM_PROMPT,
                Feature.SYSTEM_PROMPT_OVERRIDE)) {
            if (inner.supports(feature)) {
                outer.supports(feature);
            }
        }
        if (inner.supports(Feature.LOAD_SESSION)) {
            outer.onLoadSession(session -> reopen(session, true));
        }
        if (inner.supports(Feature.RESUME_SESSION)) {
            outer.onResumeSession(session -> reopen(session, false));
        }
        if (inner.supports(Feature.LIST_SESSIONS)) {
            outer.onListSessions((who, request) -> list(inner, request));
        }
        if (inner.supports(Feature.DELETE_SESSION)) {
            outer.onDeleteSession((who, id) -> answering(() -> {
                inner.deleteSession(id);
                return id;
            }));
        }
        offerDrafts(inner, outer);
        if (!inner.authMethods().isEmpty()) {
            outer.onAuthenticate(
                    inner.authMethods(),
                    (who, method) -> answering(() -> {
                        inner.authenticate(method);
                        return method;
                    }));
        }
        if (inner.supports(Feature.LOGOUT)) {
            outer.onLogout(who -> answering(() -> {
                inner.logout();
                return who;
            }));
        } else if (served == Version.V2) {
            outer.onLogout(who -> {
                throw new RpcError(RpcError.INTERNAL_ERROR, "The agent has no way to log out");
            });
        }
        outer.interceptIncoming((message, next) -> {
            boolean isExtension =
                    message.kind() == Message.Kind.REQUEST && message.method().startsWith("_");
            if (isExtension) {
                Thread unused = Thread.ofPlatform()
                        .daemon()
                        .name("acp4j-translator-" + message.method())
                        .start(() -> extension(inner, message, next));
            } else {
                next.pass(message);
            }
        });
        return outer.build();
    }

    private void offerDrafts(ConnectedAgent inner, Agent.Builder outer) {
        if (inner.supports(Feature.FORK_SESSION)) {
            outer.onForkSession((session, source) -> attach(session, required(session.id())));
        }
        if (inner.supports(Feature.ARCHIVE_SESSION)) {
            outer.onArchiveSession((who, id, archived) -> answering(() -> {
                if (archived) {
                    inner.archiveSession(id);
                } else {
                    inner.unarchiveSession(id);
                }
                return id;
            }));
        }
        if (inner.supports(Feature.SESSION_STATUS)) {
            // What the agent does not know, either, is its error.
            outer.onSessionStatus((who, id) -> answering(() -> inner.sessionStatus(id)) != null);
        }
        if (inner.supports(Feature.SET_TITLE)) {
            outer.onSetTitle((who, id, title) -> answering(() -> inner.setTitle(id, title)));
        }
    }

    private static void extension(ConnectedAgent inner, Message message, Interceptor.Next next) {
        try {
            try {
                next.answer(inner.call(message.method(), message.params()));
            } catch (RpcError e) {
                next.refuse(e.asAnswer());
            } catch (RpcException e) {
                next.refuse(new RpcError(RpcError.INTERNAL_ERROR, "The agent has gone"));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private interface Asking<R> {
        R ask() throws InterruptedException;
    }

    /** Passes an error of the agent on to the client. */
    private static <R> R answering(Asking<R> asking) throws InterruptedException {
        try {
            return asking.ask();
        } catch (RpcError e) {
            throw e.asAnswer();
        }
    }

    private static ListSessionsResponse list(ConnectedAgent inner, ListSessionsRequest request)
            throws InterruptedException {
        ClientDialect.Page page = answering(() -> inner.call(
                inner.dialect().listSessions(request.cwd(), request.archived(), request.cursor(), request.meta())));
        return ListSessionsResponse.builder(page.sessions())
                .nextCursor(page.next())
                .build();
    }

    /** Opens a session at the agent, whose id is the one that the client gets. */
    private SessionId open(SessionSetup setup, @Nullable SessionId source) throws InterruptedException {
        opening.incrementAndGet();
        try {
            Session inner = answering(() ->
                    source == null ? connected().newSession(setup) : connected().forkSession(source, setup));
            Joint unused = joints.computeIfAbsent(inner.id(), id -> new Joint(inner));
            return inner.id();
        } finally {
            opening.decrementAndGet();
        }
    }

    private ConnectedAgent connected() {
        return Objects.requireNonNull(agent);
    }

    private Joint required(SessionId id) {
        return Objects.requireNonNull(joints.get(id));
    }

    private void attach(AgentSession session, Joint joint) {
        session.attach(joint);
        session.responseMeta(joint.inner.meta());
        joint.open(session);
        joint.options(joint.inner);
    }

    private void reopen(AgentSession session, boolean loads) throws InterruptedException {
        Joint before = joints.get(session.id());
        if (before != null) {
            before.inner.detach();
        }
        // What is replayed finds its way before the session is open.
        Joint joint = new Joint(session);
        joints.put(session.id(), joint);
        try {
            ConnectedAgent inner = connected();
            joint.inner = answering(() -> loads
                    ? inner.loadSession(session.id(), session.setup())
                    : inner.resumeSession(session.id(), session.setup()));
            attach(session, joint);
        } catch (InterruptedException | RuntimeException e) {
            joints.remove(session.id(), joint);
            throw e;
        }
    }

    private void prompt(AgentTurn turn) throws InterruptedException {
        Joint joint = turn.session().attachment(Joint.class);
        joint.turn = turn;
        try {
            Turn inner = answering(() -> joint.inner.prompt(turn.prompt(), turn.meta()));
            AgentTurn.OnCancel unused = turn.onCancel(inner::cancel);
            TurnResult result = awaited(inner);
            turn.stop(result.stopReason());
            turn.responseMeta(result.meta());
            result.usage().ifPresent(turn::usage);
        } finally {
            joint.turn = null;
        }
    }

    /** Returns how the agent ended a turn: a cancelled one, too, has ended only when the agent says so. */
    private static TurnResult awaited(Turn inner) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return inner.result();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
        } catch (RpcError e) {
            throw e.asAnswer();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void setMode(AgentSession session, SessionModeId mode) throws InterruptedException {
        Joint joint = session.attachment(Joint.class);
        SessionConfigOption option = joint.inner
                .view()
                .configOption(SessionConfigOptionCategory.MODE)
                .orElseThrow(() -> RpcError.invalidParams("params.modeId: the agent has no modes any more"));
        List<SessionConfigOption> unused = answering(() -> joint.inner.setConfigOption(
                option.id(), SessionConfigOptionValue.of(SessionConfigValueId.of(mode.value()))));
        joint.options(joint.inner);
    }

    private List<SessionConfigOption> setOption(
            AgentSession session, SessionConfigId option, SessionConfigOptionValue value) throws InterruptedException {
        Joint joint = session.attachment(Joint.class);
        List<SessionConfigOption> options = answering(() -> joint.inner.setConfigOption(option, value));
        joint.options(joint.inner);
        return options;
    }

    private record Said(SessionUpdate update, Meta meta) {}

    /** A session at the client and the one at the agent. */
    private final class Joint {
        volatile Session inner;
        volatile @Nullable AgentSession outer;

        /** The turn of the client that the agent works on; null between turns. */
        volatile @Nullable AgentTurn turn;

        /** Open as long as the agent works by itself. */
        private @Nullable CountDownLatch work;

        private final ReentrantLock lock = new ReentrantLock();

        /** What the agent said before the client could be told. */
        @GuardedBy("lock")
        private final List<Said> early = new ArrayList<>(0);

        Joint(Session inner) {
            this.inner = inner;
        }

        /** A session that is about to be opened at the agent. */
        @SuppressWarnings("NullAway.Init") // It is set before anything asks for it.
        Joint(AgentSession outer) {
            this.outer = outer;
        }

        /** The client may be told of the session. */
        void open(AgentSession session) {
            lock.lock();
            try {
                outer = session;
                for (Said said : early) {
                    session.update(said.update(), said.meta());
                }
                early.clear();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Tells the client: for the session and not for its turn, since an agent also speaks when its turn is
         * cancelled, and when it has just ended.
         */
        void say(SessionUpdate update, Meta meta) {
            lock.lock();
            try {
                AgentSession session = outer;
                if (session != null) {
                    session.update(update, meta);
                } else if (early.size() < MOST_EARLY) {
                    early.add(new Said(update, meta));
                } else {
                    onProblem.accept(new Problem(
                            Problem.Kind.NOTIFICATION_FAILED,
                            "left out an update: more than " + MOST_EARLY + " of a session that is just being opened",
                            null));
                }
            } catch (ConnectionClosedException | IllegalStateException e) {
                // The client has gone, or has closed the session, and misses nothing.
            } finally {
                lock.unlock();
            }
        }

        SessionWriter writer() {
            AgentTurn running = turn;
            if (running != null) {
                return running;
            }
            AgentSession session = outer;
            if (session == null) {
                throw new IllegalStateException("the client does not know the session yet");
            }
            return session;
        }

        /** Tells the client the options; one of version 1 gets the modes as such, too. */
        void options(Session now) {
            AgentSession session = outer;
            if (session == null) {
                return;
            }
            SessionModeState modes = served == Version.V1
                    ? now.view()
                            .configOption(SessionConfigOptionCategory.MODE)
                            .flatMap(Translator::modes)
                            .orElse(null)
                    : null;
            if (modes != null) {
                SessionModeState before = session.modes();
                session.modes(modes);
                if (before != null && !before.currentModeId().equals(modes.currentModeId())) {
                    session.mode(modes.currentModeId());
                }
            }
            session.configOptions(now.view().configOptions());
        }

        /** Returns whether a message of the user is the running prompt, which the client knows. */
        boolean isPrompt(ContentBlock piece) {
            AgentTurn running = turn;
            return running != null && running.prompt().contains(piece);
        }

        boolean isPrompt(SessionUpdate.UserMessage whole) {
            AgentTurn running = turn;
            return running != null && running.prompt().equals(whole.content().applyTo(null));
        }

        void state(SessionEvent.StateChanged.State state) {
            // In the lane of the session, so one after another.
            boolean works = state != SessionEvent.StateChanged.State.IDLE;
            AgentSession session = outer;
            CountDownLatch running = work;
            if (!works && running != null) {
                running.countDown();
                work = null;
            } else if (works && running == null && turn == null && session != null) {
                CountDownLatch begun = new CountDownLatch(1);
                work = begun;
                session.work(own -> {
                    AgentTurn.OnCancel unused = own.onCancel(inner::cancel);
                    begun.await();
                });
            }
        }
    }

    private static Optional<SessionModeState> modes(SessionConfigOption option) {
        if (!(option instanceof SessionConfigOption.Select select)) {
            return Optional.empty();
        }
        List<SessionMode> modes = new ArrayList<>();
        for (SessionConfigSelectOption value : select.options().options()) {
            modes.add(SessionMode.builder(SessionModeId.of(value.value().value()), value.name())
                    .description(value.description())
                    .build());
        }
        return Optional.of(
                SessionModeState.of(SessionModeId.of(select.currentValue().value()), modes));
    }

    /** A transport whose first message can be looked at before it is read. */
    private static final class Peeked implements Transport, Transport.Reader {
        private final Transport transport;
        private @Nullable Message first;

        Peeked(Transport transport) {
            this.transport = transport;
        }

        @Nullable
        Message peek() throws IOException, InterruptedException {
            first = transport.reader().read();
            return first;
        }

        /** Answers a request with an error, and ends the connection. */
        void refuse(Message request, RpcError error) {
            try {
                if (request.id() != null) {
                    transport.writer().write(Message.error(request.id(), error));
                    transport.writer().close();
                }
            } catch (IOException e) {
                // Nobody is there to read it.
            }
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message next = first;
            first = null;
            return next == null ? transport.reader().read() : next;
        }

        @Override
        public boolean isReady() {
            return first != null || transport.reader().isReady();
        }

        @Override
        public Reader reader() {
            return this;
        }

        @Override
        public Writer writer() {
            return transport.writer();
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}
