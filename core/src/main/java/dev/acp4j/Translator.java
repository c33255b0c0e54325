package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
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
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentSessionCapabilities;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
 * updates as far as the client's version can say them, and methods of extensions, those that begin with an underscore,
 * in both directions.
 *
 * <pre>{@code
 * Translator.serve(Stdio.system(), Version.V1, client -> client.build().connect(launch), problem -> {});
 * }</pre>
 *
 * <p>What cannot be carried: an agent of version 1 gets none of the client's files and terminals, which version 2 does
 * not have. A client of version 1 learns nothing of background work, and sees a message that was replaced as a new one.
 * Agents without sessions are not translated.
 *
 * <p>May be used from one thread; it has threads of its own.
 */
@Unstable
public final class Translator {
    private static final int MOST_EARLY = 1000;

    private final Version served;
    private final Consumer<Problem> onProblem;
    private final ConcurrentHashMap<SessionId, Joint> joints = new ConcurrentHashMap<>();
    private final AtomicLong questions = new AtomicLong();

    /** The requests of the client that the agent works on, by the ids of those that they became. */
    private final ConcurrentHashMap<RequestId, RequestId> passedOn = new ConcurrentHashMap<>();

    /** Zero when the client is there, and has been told what the agent can do. */
    private final CountDownLatch clientIsMissing = new CountDownLatch(2);

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
        Translator translator = new Translator(served, onProblem);
        translator.serve(new Peeked(transport, translator.clientIsMissing::countDown), connector);
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
                    clientIsMissing.countDown();
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
                    // Nothing waits any more for a client that has gone before it was answered.
                    clientIsMissing.countDown();
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
                .capabilitiesMeta(offered.capabilities().meta())
                .onProblem(onProblem)
                .onPermission(this::permission)
                .terminalAuthentication(offered.supports(Feature.TERMINAL_LOGIN))
                .agentTerminals(true)
                .keepsMessages(false)
                .onUpdate(this::update)
                .onEvent(this::event)
                .onCall(this::passedOn)
                .onAuthStatus(this::authStatus)
                .on(
                        ClientMethods.MESSAGE_MCP,
                        (from, request) -> answering(() -> client(from).call(ClientMethods.MESSAGE_MCP, request)))
                .others(new Extensions.Others<>() {
                    @Override
                    public RawJson answer(ConnectedAgent from, String method, @Nullable RawJson params)
                            throws InterruptedException {
                        return answering(() -> client(from).call(method, params));
                    }

                    @Override
                    public void take(ConnectedAgent from, String method, @Nullable RawJson params)
                            throws InterruptedException {
                        tell(from, joined -> joined.send(method, params));
                    }
                });
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

    /**
     * Returns the client, as soon as it knows what the agent can do.
     *
     * @throws RpcError when the agent has not said that yet
     */
    private ConnectedClient client(ConnectedAgent from) throws InterruptedException {
        if (!from.isInitialized()) {
            throw RpcError.invalidRequest("answer initialize first");
        }
        clientIsMissing.await();
        return Objects.requireNonNull(client);
    }

    private interface Telling {
        void tell(ConnectedClient client) throws InterruptedException;
    }

    /** Tells the client; one that has gone misses nothing. */
    private void tell(ConnectedAgent from, Telling telling) throws InterruptedException {
        try {
            telling.tell(client(from));
        } catch (ConnectionClosedException e) {
            // Nobody is there to know it.
        }
    }

    private void authStatus(ConnectedAgent from, AuthStatus status) {
        try {
            if (from.supports(Feature.AUTH_STATUS)) {
                tell(from, joined -> joined.authStatus(status));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the session that this one belongs to, at whatever depth; itself, unless it is that of a subagent. */
    private static Session top(Session session) {
        Session top = session;
        while (top.parent().isPresent()) {
            top = top.parent().get();
        }
        return top;
    }

    private @Nullable Joint joint(Session session) {
        return joints.get(top(session).id());
    }

    /** Passes an update on; those that the library says by itself are left out. */
    private void update(Session session, SessionUpdate update, Meta meta) {
        // What an agent says at once of a new session comes before it is known here.
        Session top = top(session);
        Joint joint = opening.get() > 0 ? joints.computeIfAbsent(top.id(), id -> new Joint(top)) : joints.get(top.id());
        if (joint == null) {
            return;
        }
        if (!top.equals(session)) {
            joint.say(session, update, meta);
            return;
        }
        switch (update) {
            case StateUpdate state -> {}
            case SessionUpdate.CurrentModeUpdate change -> joint.options(session);
            case SessionUpdate.ConfigOptionUpdate change -> joint.options(session);
            case SessionUpdate.UserMessageChunk piece when joint.isPrompt(piece.content()) -> {}
            case SessionUpdate.UserMessage whole when joint.isPrompt(whole) -> {}
            default -> joint.say(session, update, meta);
        }
        Joint parent = joint(session);
        if (parent != null && !parent.equals(joint)) {
            // Meanwhile it is known that the session is that of a subagent.
            joints.remove(session.id(), joint);
            joint.early().forEach(said -> parent.say(said.of(), said.update(), said.meta()));
        }
    }

    /** Work that the agent begins by itself is a turn of its own here, too. */
    private void event(Session session, SessionEvent event) {
        Joint joint = joints.get(session.id());
        if (joint != null && event instanceof SessionEvent.StateChanged change) {
            joint.state(change.state());
        }
    }

    private RequestPermissionOutcome permission(PermissionQuestion question) throws InterruptedException {
        Session session = question.session();
        Joint joint = joint(session);
        SessionWriter writer = joint == null ? null : joint.asks(session);
        if (joint == null || writer == null) {
            return question.cancelled();
        }
        Entry.ToolCall call = question.toolCall();
        ToolCallUpdate about = call == null ? made(question) : about(question, call);
        PermissionAnswer answer = writer.requestPermission(about, question.options(), question.meta());
        if (call == null) {
            joint.say(
                    session,
                    ToolCallUpdate.builder(about.toolCallId())
                            .status(ToolCallStatus.COMPLETED)
                            .build(),
                    Meta.EMPTY);
        } else if (!about.title().equals(Change.replace(call.title())) || question.description() != null) {
            // What the question said is not what the tool call is.
            joint.say(
                    session,
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
            if (session == null) {
                return ofRequest(question);
            }
            Joint joint = joint(session);
            SessionWriter writer = joint == null ? null : joint.asks(session);
            return writer == null ? question.cancel() : writer.elicit(question.request());
        }

        /** Asks on behalf of the client's request that the agent works on, such as a login. */
        private CreateElicitationResponse ofRequest(ElicitationQuestion question) throws InterruptedException {
            RequestId asking =
                    question.request() instanceof CreateElicitationRequest.Scoped scoped && scoped.requestId() != null
                            ? passedOn.get(scoped.requestId())
                            : null;
            if (asking == null) {
                return question.cancel();
            }
            CreateElicitationRequest request = switch (question.request()) {
                case CreateElicitationRequest.Form form ->
                    form.toBuilder().requestId(asking).build();
                case CreateElicitationRequest.Url page ->
                    page.toBuilder().requestId(asking).build();
                case CreateElicitationRequest.Unknown unknown -> unknown;
            };
            return client(question.agent()).elicit(request);
        }

        @Override
        public void completed(ConnectedAgent from, ElicitationId elicitation) {
            try {
                tell(
                        from,
                        joined -> joined.send(
                                ClientMethods.COMPLETE_ELICITATION, CompleteElicitationNotification.of(elicitation)));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
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
                .capabilitiesMeta(inner.dialect().capabilities().meta())
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
                Feature.MCP_ACP,
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
            outer.onDeleteSession((who, id) -> passing(() -> {
                inner.deleteSession(id);
                return id;
            }));
        }
        offerDrafts(inner, outer);
        if (!inner.authMethods().isEmpty()) {
            outer.onAuthenticate(
                    inner.authMethods(),
                    (who, method) -> passing(() -> {
                        inner.authenticate(method);
                        return method;
                    }));
        }
        if (inner.supports(Feature.LOGOUT)) {
            outer.onLogout(who -> passing(() -> {
                inner.logout();
                return who;
            }));
        } else if (served == Version.V2) {
            outer.onLogout(who -> {
                throw new RpcError(RpcError.INTERNAL_ERROR, "The agent has no way to log out");
            });
        }
        outer.others(new Extensions.Others<>() {
            @Override
            public RawJson answer(ConnectedClient who, String method, @Nullable RawJson params)
                    throws InterruptedException {
                return passing(() -> inner.call(method, params));
            }

            @Override
            public void take(ConnectedClient who, String method, @Nullable RawJson params) throws InterruptedException {
                inner.send(method, params);
            }
        });
        return outer.build();
    }

    private void offerDrafts(ConnectedAgent inner, Agent.Builder outer) {
        if (inner.supports(Feature.FORK_SESSION)) {
            outer.onForkSession((session, source) -> attach(session, required(session.id())));
        }
        if (inner.supports(Feature.ARCHIVE_SESSION)) {
            outer.onArchiveSession((who, id, archived) -> passing(() -> {
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
            outer.onSessionStatus((who, id) -> passing(() -> inner.sessionStatus(id)) != null);
        }
        if (inner.supports(Feature.AUTH_STATUS)) {
            outer.onAuthStatus(who -> passing(inner::authStatus));
        }
        if (inner.supports(Feature.PROVIDERS)) {
            outer.onProviders(new Providers());
        }
        if (inner.supports(Feature.MCP_ACP)) {
            outer.onNotification(
                    AgentMethods.MESSAGE_MCP, (who, message) -> inner.send(AgentMethods.MESSAGE_MCP, message));
        }
        if (inner.supports(Feature.SET_TITLE)) {
            outer.onSetTitle((who, id, title) -> passing(() -> inner.setTitle(id, title)));
        }
    }

    private final class Providers implements Agent.ProvidersHandler {
        @Override
        public List<ProviderInfo> list(ConnectedClient who) throws InterruptedException {
            return passing(connected()::providers);
        }

        @Override
        public void set(ConnectedClient who, SetProviderRequest configuration) throws InterruptedException {
            ProviderId unused = passing(() -> {
                connected().setProvider(configuration);
                return configuration.providerId();
            });
        }

        @Override
        public void disable(ConnectedClient who, ProviderId provider) throws InterruptedException {
            ProviderId unused = passing(() -> {
                connected().disableProvider(provider);
                return provider;
            });
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

    /** Passes the client's request that this thread handles on to the agent, which may ask the user because of it. */
    private <R> R passing(Asking<R> asking) throws InterruptedException {
        try {
            return answering(asking);
        } finally {
            RequestId id = handled();
            passedOn.values().removeIf(passed -> passed.equals(id));
        }
    }

    /** A request is about to be sent to the agent. */
    private void passedOn(RequestId atAgent) {
        RequestId id = handled();
        if (id != null) {
            passedOn.put(atAgent, id);
        }
    }

    /** Returns the id of the client's request that this thread handles; null when it handles none. */
    private @Nullable RequestId handled() {
        ConnectedClient joined = client;
        return joined == null
                ? null
                : joined.rpc().handled().map(IncomingRequest::id).orElse(null);
    }

    private ListSessionsResponse list(ConnectedAgent inner, ListSessionsRequest request) throws InterruptedException {
        ClientDialect.Page page = passing(() -> inner.call(
                inner.dialect().listSessions(request.cwd(), request.archived(), request.cursor(), request.meta())));
        return ListSessionsResponse.builder(page.sessions())
                .nextCursor(page.next())
                .build();
    }

    /** Opens a session at the agent, whose id is the one that the client gets. */
    private SessionId open(SessionSetup setup, @Nullable SessionId source) throws InterruptedException {
        opening.incrementAndGet();
        try {
            Session inner = passing(() ->
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
            joint.inner = passing(() -> loads
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
            Turn inner = passing(() -> joint.inner.prompt(turn.prompt(), turn.meta()));
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
        List<SessionConfigOption> unused = passing(() -> joint.inner.setConfigOption(
                option.id(), SessionConfigOptionValue.of(SessionConfigValueId.of(mode.value()))));
        joint.options(joint.inner);
    }

    private List<SessionConfigOption> setOption(
            AgentSession session, SessionConfigId option, SessionConfigOptionValue value) throws InterruptedException {
        Joint joint = session.attachment(Joint.class);
        List<SessionConfigOption> options = passing(() -> joint.inner.setConfigOption(option, value));
        joint.options(joint.inner);
        return options;
    }

    /** @param of the session of the agent that it is said of: of a joint, or of a subagent */
    private record Said(Session of, SessionUpdate update, Meta meta) {}

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

        /** The subagents that the client knows, at whatever depth. */
        @GuardedBy("lock")
        private final Map<SessionId, AgentSubagent> subagents = new HashMap<>(0);

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
                    say(session, said);
                }
                early.clear();
                adopt(session, inner);
            } finally {
                lock.unlock();
            }
        }

        /** What subagents said before it was known that they are: as if of a session that is just being opened. */
        @GuardedBy("lock")
        private void adopt(AgentSession session, Session parent) {
            for (Session child : parent.subagents()) {
                Joint mistaken = joints.remove(child.id());
                for (Said said : mistaken == null ? List.<Said>of() : mistaken.early()) {
                    say(session, said);
                }
                adopt(session, child);
            }
        }

        private List<Said> early() {
            lock.lock();
            try {
                List<Said> all = List.copyOf(early);
                early.clear();
                return all;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Tells the client: for the session and not for its turn, since an agent also speaks when its turn is
         * cancelled, and when it has just ended.
         *
         * @param of this session of the agent, or a subagent of it
         */
        void say(Session of, SessionUpdate update, Meta meta) {
            lock.lock();
            try {
                AgentSession session = outer;
                if (session != null) {
                    say(session, new Said(of, update, meta));
                } else if (early.size() < MOST_EARLY) {
                    early.add(new Said(of, update, meta));
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

        @GuardedBy("lock")
        private void say(AgentSession session, Said said) {
            SessionWriter writer = writer(session, said.of());
            if (said.update() instanceof StateUpdate state) {
                writer.send(state, said.meta());
                return;
            }
            if (said.update() instanceof SubagentUpdate change
                    && !change.capabilities().isKeep()) {
                SubagentSessionCapabilities offered = change.capabilities().applyTo(null);
                boolean isCancellable = offered != null && offered.cancel() != null;
                session.state()
                        .cancellable(
                                AgentSubagent.key(change.sessionId()),
                                isCancellable ? () -> cancel(change.sessionId()) : null);
            }
            writer.update(said.update(), said.meta());
        }

        private void cancel(SessionId subagent) {
            Session known = connected().openSession(subagent);
            if (known != null) {
                known.cancel();
            }
        }

        /** Returns what tells the client of a session: this one, or a subagent, which is announced when it is new. */
        @GuardedBy("lock")
        private SessionWriter writer(AgentSession session, Session of) {
            Session parent = of.parent().orElse(null);
            if (parent == null) {
                return session;
            }
            AgentSubagent known = subagents.get(of.id());
            if (known == null) {
                known = new AgentSubagent(writer(session, parent), of.id());
                subagents.put(of.id(), known);
                // What its parent says of it comes in another lane, perhaps later.
                known.about(SubagentUpdate.builder(of.id()).build());
            }
            return known;
        }

        /** Returns what asks the client a question of this session, or of a subagent of it. */
        SessionWriter asks(Session of) {
            AgentSession session = outer;
            if (session == null) {
                throw new IllegalStateException("the client does not know the session yet");
            }
            AgentTurn running = turn;
            if (of.parent().isEmpty()) {
                return running == null ? session : running;
            }
            lock.lock();
            try {
                return writer(session, of);
            } finally {
                lock.unlock();
            }
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

    /** A transport whose first message can be looked at before it is read, and whose first result is noticed. */
    private static final class Peeked implements Transport, Transport.Reader {
        private final Transport transport;
        private final Writer writer;
        private @Nullable Message first;

        Peeked(Transport transport, Runnable onResult) {
            this.transport = transport;
            this.writer = new Writer() {
                private boolean hasAnswered;

                @Override
                public void write(Message message) throws IOException {
                    transport.writer().write(message);
                    if (!hasAnswered && message.kind() == Message.Kind.RESULT) {
                        hasAnswered = true;
                        onResult.run();
                    }
                }

                @Override
                public void flush() throws IOException {
                    transport.writer().flush();
                }

                @Override
                public void close() throws IOException {
                    transport.writer().close();
                }
            };
        }

        @Override
        public Limits limits(Limits limits) {
            return transport.limits(limits);
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
            return writer;
        }

        @Override
        public IOException explain(IOException failure) {
            return transport.explain(failure);
        }

        @Override
        public boolean holdsCarrier() {
            return transport.holdsCarrier();
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}
