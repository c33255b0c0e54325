package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Channel;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Exchange;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ErrorCode;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A proxy in one place: its interceptors on a link, what it knows of the connection, and what it keeps for sessions.
 */
@SuppressWarnings("ReferenceEquality") // What was not changed is the same object.
class Interceptions implements Link.Interception {
    /** The method of the envelopes in which a proxy and its successor speak. */
    static final String SUCCESSOR = "proxy/successor";

    /** The same in the dialect of older conductors. */
    static final String LEGACY_SUCCESSOR = "_proxy/successor";

    /** The neutral request, by which a conductor finds out whether a component reacts. */
    static final String PING = "_acp4j/ping";

    /** What the data of an error has that answers a request because the agent has ended. */
    static final String AGENT_HAS_ENDED = "{\"component\":\"the agent\",\"cause\":\"ended\"}";

    private static final String INITIALIZE = "initialize";
    private static final Set<String> OPENINGS = Set.of("session/new", "session/load", "session/resume", "session/fork");
    /** What opens a session that the client cannot name before it is answered. */
    private static final Set<String> NAMINGS = Set.of("session/new", "session/fork");

    private static final Set<String> ENDINGS = Set.of("session/close", "session/delete");
    private static final String PROMPT = "session/prompt";
    private static final String CANCEL = "session/cancel";
    private static final String UPDATE = "session/update";
    private static final String NO_AGENT =
            "This is a proxy, not an agent: a conductor starts it, such as acp conduct -p PROXY -- AGENT";
    private static final Names VERSION = Names.of("protocolVersion");

    /** What stands at one end of the link. */
    enum Place {
        /** A client, an agent, or a neighbour in the same program. */
        PLAIN,
        /** A client of a proxy's own. */
        OWN,
        /** The conductor of which this is a component. */
        CONDUCTOR,
        /** A component that has a successor. */
        COMPONENT,
        /** The same in the dialect of older conductors. */
        LEGACY_COMPONENT
    }

    private final Proxy proxy;
    private final Chains chains;
    private final Place before;
    private final Place behind;
    private final Link link = new Link(this);
    private final Patience patience = new Patience(this::problem);

    /** The client and the agent as each of the proxies sees them. */
    private Neighbours neighbours = new Neighbours();

    /** Counts the requests of the proxies' own. */
    private final AtomicLong ownRequests = new AtomicLong();

    private final Map<String, Map<SessionState<?>, Object>> sessions = new ConcurrentHashMap<>();
    /** Whether the connection has ended, so that what opens now ends at once. */
    private volatile boolean hasEnded;

    private final Set<HeldPrompt> heldPrompts = ConcurrentHashMap.newKeySet();

    /** The prompts of the proxies' own that run. */
    private final Set<OwnPrompt> ownPrompts = ConcurrentHashMap.newKeySet();

    private final ForegroundStates foreground = new ForegroundStates();

    /** Whether a proxy here may have prompts of its own, so that states of the foreground count. */
    private final boolean interceptsPrompts;

    private final EndingTurns endingTurns = new EndingTurns();

    private final OwnSessions ownSessions = new OwnSessions(this);
    private final Unannounced unannounced = new Unannounced();

    /** The queues of the observers, in the order of the entries. */
    private final IdentityHashMap<Entry, Watcher> watchers = new IdentityHashMap<>();

    private volatile @Nullable Version version;

    /** Why the initialization has failed, unless the agent says so itself; null while it has not. */
    private volatile @Nullable RpcError refused;

    /** What the client has said at the initialization; null before. */
    private volatile @Nullable RawJson asked;

    private volatile boolean wasAsked;
    private UnaryOperator<RpcError> onRefused = error -> error;

    private Consumer<Problem> fallback = Problems.LOG;

    /** What another chain has offered in the place of this one, and this does not. */
    private volatile Set<String> withdrawn = Set.of();

    /** What the program behind the link has offered before it was started again, and does not offer any more. */
    private volatile Set<String> withdrawnBehind = Set.of();

    /** What stands before the link and behind it, if it is a program; else null. */
    private @Nullable Station stationBefore;

    private @Nullable Station stationBehind;

    /** Where envelopes go out to the conductor, in its dialect. */
    private Link.End toConductor = link.right();

    /** Records what passes; null if nothing is recorded. */
    private @Nullable Hops hops;

    /** The answer of what is behind the link, for a component that is started again and initializes it once more. */
    private volatile @Nullable RawJson initialized;

    /** The method by which what is before the link has initialized it. */
    private volatile String askedBy = INITIALIZE;

    /** The params with which what is before the link has initialized it; null before. */
    private volatile @Nullable RawJson askedWith;

    /** What that has got as the answer; null before. */
    private volatile @Nullable RawJson shown;

    /** Whether what is behind the link was initialized over another link, so that its kept answer is given. */
    private boolean isKept;

    /** Takes sessions whose prompts are accepted, in version 2. */
    private volatile Consumer<String> onAccepted = session -> {};

    /** Takes sessions whose turns begin or end, in version 2. */
    private volatile @Nullable BiConsumer<String, Boolean> onTurn;

    /** The sessions that were opened, for a component behind the link that wants to know them when it starts again. */
    private final ToldSessions told = new ToldSessions();

    /** Setups as the component behind the link has passed them on, until it answers them. */
    private final Map<String, RawJson> passedOn = new ConcurrentHashMap<>();

    /** The link before the component that is before this one; null if there is none. */
    private @Nullable Interceptions previous;

    /** Whether what is behind the link wants to know them. */
    private volatile boolean remembers;

    private BooleanSupplier asksForSessions = this::keepsSessions;
    private Consumer<List<ToldSessions.Open>> onReopened = all -> {};

    /** What a chain hears of its sessions; null if this is no link of a chain. */
    private @Nullable ChainSessions chainSessions;

    /** Whether this is where the client of a chain is, so that all its sessions are known here. */
    private boolean isFirst;

    /** The params with which what is behind the link was initialized. */
    private volatile @Nullable RawJson initializedWith;

    Interceptions(Proxy proxy, Place before, Place behind) {
        this.proxy = proxy;
        this.chains = new Chains(proxy.entries());
        this.before = before;
        this.behind = behind;
        this.interceptsPrompts =
                proxy.entries().stream().anyMatch(entry -> entry.intercepts(Method.Side.AGENT, true, PROMPT));
        for (Entry entry : proxy.entries()) {
            Proxy.Observer observer = entry.observer();
            if (observer != null) {
                watchers.put(entry, new Watcher(entry, observer, problem -> problem(entry, problem)));
            }
        }
    }

    String name() {
        return proxy.name();
    }

    Limits limits() {
        return proxy.limits();
    }

    /** Returns a transport to the agent for a client of a proxy's own. */
    Transport ownTransport(Part part) {
        if (initialized == null) {
            throw new IllegalStateException("not initialized yet: the agent takes no client before");
        }
        return ownSessions.connect(proxy.behind(part));
    }

    /** Returns whether a side has said that it has a method, or the method needs no such word. */
    boolean offers(Method<?, ?> method, Method.Side side, String mode) {
        String capability = method.capability(version());
        if (capability.isEmpty()) {
            return true;
        }
        boolean isOfClient = side == Method.Side.CLIENT;
        RawJson said = isOfClient ? asked : initialized;
        String all =
                version() == Version.V2 ? "capabilities." : isOfClient ? "clientCapabilities." : "agentCapabilities.";
        return said != null && isOffered(said.value(), all + capability + mode);
    }

    Unannounced unannounced() {
        return unannounced;
    }

    /** Sets what records the messages that pass. */
    void hops(Hops value) {
        hops = value;
    }

    /** Sets the programs at both ends; null for one that is none. */
    void stations(@Nullable Station left, @Nullable Station right) {
        stationBefore = left;
        stationBehind = right;
    }

    /** Sets the methods that another chain has offered in the place of this one, and this does not. */
    void withdraw(Set<String> methods) {
        withdrawn = Set.copyOf(methods);
    }

    /** Sets the methods that the program behind the link has offered once, and does not offer any more. */
    void withdrawBehind(Set<String> methods) {
        withdrawnBehind = Set.copyOf(methods);
    }

    /**
     * Makes this a link of a chain.
     *
     * @param all the client and the agent, as the proxies of the chain see them
     * @param sessions hears what becomes of sessions
     * @param first whether the client of the chain stands before this
     */
    void inChain(Neighbours all, ChainSessions sessions, boolean first) {
        neighbours = all;
        chainSessions = sessions;
        isFirst = first;
    }

    /** Sets the link before the component that is before this one. */
    void follows(Interceptions link) {
        previous = link;
    }

    @Nullable
    ChainSessions chainSessions() {
        return chainSessions;
    }

    /** Whether a session is known to be open here. */
    boolean knows(String session) {
        return sessions.containsKey(session);
    }

    Proxy proxy() {
        return proxy;
    }

    /** Whether something is kept for sessions here, or behind the link. */
    boolean keepsSessions() {
        return remembers || !proxy.states().isEmpty();
    }

    /** Returns the sessions that were opened, for a component behind the link; null if it has not asked for them. */
    @Nullable
    RawJson openSessions() {
        return remembers ? told.params() : null;
    }

    /** Takes over the sessions that another link has for the same component; returns whether it is to hear of more. */
    boolean adoptTold(Interceptions other) {
        return remembers && told.adopt(other.told);
    }

    /** For a chain that is itself a component: sets whether one of its links keeps something, and who else is told. */
    void forAll(BooleanSupplier keeps, Consumer<List<ToldSessions.Open>> reopened) {
        asksForSessions = keeps;
        onReopened = reopened;
    }

    /** Returns the answer of what is behind the link to its initialization; null before. */
    @Nullable
    RawJson answerToInitialize() {
        return initialized;
    }

    /** Takes over that what is behind the link is initialized. */
    void isInitialized(Interceptions by) {
        initialized = by.initialized;
        initializedWith = by.initializedWith;
        withdrawnBehind = by.withdrawnBehind;
        isKept = true;
    }

    String askedBy() {
        return askedBy;
    }

    @Nullable
    RawJson askedWith() {
        return askedWith;
    }

    /** Returns the answer to the initialization as it went to what is before the link; null before. */
    @Nullable
    RawJson shown() {
        return shown;
    }

    /** What is before this link now was initialized over another one. */
    void showed(Interceptions by) {
        shown = by.shown;
    }

    /** Sets what takes sessions whose prompts are accepted, and whose turns begin or end; in version 2 only. */
    void onTurn(Consumer<String> accepted, BiConsumer<String, Boolean> turn) {
        onAccepted = accepted;
        onTurn = turn;
    }

    /** Takes over what the same proxies have kept for sessions on other links, and makes what others need. */
    void adopt(Set<Interceptions> others) {
        for (Interceptions other : others) {
            for (String session : other.sessions.keySet()) {
                adopt(session, others);
            }
        }
    }

    /** Does the same for one session. */
    void adopt(String session, Set<Interceptions> others) {
        if ((proxy.states().isEmpty() && !isFirst) || sessions.containsKey(session)) {
            return;
        }
        ToldSessions.Open opened = opened(session, others);
        if (isFirst) {
            told.add(opened);
        }
        Map<SessionState<?>, Object> kept = new HashMap<>();
        for (SessionState<?> state : proxy.states()) {
            for (Interceptions other : others) {
                Object value = other.sessions.getOrDefault(session, Map.of()).get(state);
                if (value != null) {
                    kept.put(state, value);
                }
            }
            kept.computeIfAbsent(
                    state,
                    made -> made.make(new SessionState.Opening(
                            client(owner(state)),
                            SessionId.of(session),
                            opened.method(),
                            opened.params(),
                            opened.from(),
                            null)));
        }
        Map<SessionState<?>, Object> unused = sessions.putIfAbsent(session, Map.copyOf(kept));
    }

    /** Returns how others have heard that a session was opened. */
    private static ToldSessions.Open opened(String session, Set<Interceptions> others) {
        for (Interceptions other : others) {
            ToldSessions.Open opened = other.told.get(session);
            if (opened != null) {
                return opened;
            }
        }
        return new ToldSessions.Open(session, "session/resume", RawJson.EMPTY_OBJECT, null, null);
    }

    /** A session was closed on other links, which have ended what they have kept for it. */
    void closed(String session, Set<Interceptions> others) {
        told.remove(session);
        end(sessions.remove(session), statesOf(others));
    }

    private static Set<SessionState<?>> statesOf(Collection<Interceptions> links) {
        return links.stream().flatMap(link -> link.proxy.states().stream()).collect(Collectors.toSet());
    }

    /** The link is not used any more. What others have adopted does not end with it. */
    void endedBut(List<Interceptions> others) {
        Set<SessionState<?>> theirs = statesOf(others);
        sessions.replaceAll((session, kept) -> kept.entrySet().stream()
                .filter(one -> !theirs.contains(one.getKey()))
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue)));
        ended();
    }

    /** Sets the end at which envelopes go out to the conductor, if that is not the other one of this link. */
    void toConductor(Link.End end) {
        toConductor = end;
    }

    /**
     * Returns what to initialize a component with that is started again behind the link; null before the first time.
     */
    @Nullable
    RawJson initializedWith() {
        return initializedWith;
    }

    /** Takes the place of an error with which what is behind the link answers its initialization. */
    void onRefused(UnaryOperator<RpcError> value) {
        onRefused = value;
    }

    /** Whether what is before the link has initialized it. */
    boolean wasAsked() {
        return wasAsked;
    }

    /** Returns the method by which what is behind the link is initialized. */
    String initializeBehind() {
        return switch (behind) {
            case COMPONENT -> "proxy/initialize";
            case LEGACY_COMPONENT -> "_proxy/initialize";
            case PLAIN, OWN, CONDUCTOR -> INITIALIZE;
        };
    }

    Patience patience() {
        return patience;
    }

    Link link() {
        return link;
    }

    /** Returns the client as one of the proxies sees it. */
    Neighbour client(Part part) {
        return neighbour(part, Method.Side.CLIENT);
    }

    /** Returns the agent as one of the proxies sees it. */
    Neighbour agent(Part part) {
        return neighbour(part, Method.Side.AGENT);
    }

    private Neighbour neighbour(Part part, Method.Side side) {
        ChainSessions chain = chainSessions;
        return neighbours.of(this, part, chain == null ? 0 : chain.number(this, part), side);
    }

    Version version() {
        Version known = version;
        return known == null ? Version.V1 : known;
    }

    Optional<InitializeResponse> initialized() {
        RawJson answer = initialized;
        try {
            return answer == null
                    ? Optional.empty()
                    : Optional.of(answer.decode(AgentMethods.INITIALIZE.result(version()), "result"));
        } catch (JsonException e) {
            return Optional.empty();
        }
    }

    /** Sets what takes problems of proxies that have no listener for them. */
    void onProblem(Consumer<Problem> listener) {
        fallback = listener;
    }

    void problem(Problem problem) {
        problem(proxy.onProblem(), problem);
    }

    private void problem(Entry of, Problem problem) {
        problem(of.part().onProblem(), problem);
    }

    private void problem(Consumer<Problem> listener, Problem problem) {
        (listener.equals(Problems.LOG) ? fallback : listener).accept(problem);
    }

    /** Reports a problem of a connection. Who types at a program that waits for a conductor sees what it is. */
    void ofConnection(Problem problem) {
        boolean isForPeople = problem.kind() == Problem.Kind.NOISE && before == Place.CONDUCTOR && version == null;
        problem(isForPeople ? new Problem(problem.kind(), NO_AGENT, problem.cause()) : problem);
    }

    /** The connection has ended, and with it all sessions. */
    void ended() {
        hasEnded = true;
        heldPrompts.clear();
        patience.end();
        ownSessions.end();
        watchers.values().forEach(Watcher::end);
        List.copyOf(sessions.keySet()).forEach(this::forget);
    }

    private void forget(String session) {
        end(sessions.remove(session), Set.of());
    }

    private void end(@Nullable Map<SessionState<?>, Object> kept, Set<SessionState<?>> ofOthers) {
        if (kept == null) {
            return;
        }
        kept.forEach((state, made) -> {
            if (ofOthers.contains(state)) {
                return;
            }
            try {
                state.end(made);
            } catch (RuntimeException e) {
                problem(
                        owner(state).onProblem(),
                        new Problem(
                                Problem.Kind.INTERCEPTOR_FAILED,
                                owner(state).name() + ": the end of a session's state failed: " + e,
                                e));
            }
        });
    }

    @SuppressWarnings("unchecked") // It was put in by this key.
    <S> S state(String session, SessionState<S> key) {
        Map<SessionState<?>, Object> kept = sessions.get(session);
        Object value = kept == null ? null : kept.get(key);
        if (value == null) {
            throw new IllegalStateException(
                    session.isEmpty()
                            ? "the message names no session"
                            : "nothing is kept for the session " + session
                                    + (proxy.states().contains(key)
                                            ? ": it was not seen to be opened"
                                            : ": add the state to the builder"));
        }
        return (S) value;
    }

    // ---- what is intercepted

    @Override
    public Link.@Nullable NotificationInterceptor notification(Message message, Link.End from) {
        if (!ownSessions.isUsed()) {
            return ordinary(message, from);
        }
        if (from.equals(link.right())) {
            // What is of a proxy's own prompt is found out by the thread that reads, and is of a session of the client.
            return ownPrompts.isEmpty() || ownPrompt(message.session()) == null
                    ? ownSessions.notification(message, () -> ordinary(message, from))
                    : ordinary(message, from);
        }
        return ownSessions.isOwn(message.session()) ? (dropped, to) -> {} : ordinary(message, from);
    }

    private Link.@Nullable NotificationInterceptor ordinary(Message message, Link.End from) {
        if (isOfProxies(message.method())) {
            return (dropped, to) -> problem(new Problem(
                    Problem.Kind.UNHANDLED_NOTIFICATION,
                    dropped.method() + ": only a conductor sends this, so it was dropped",
                    null));
        }
        if (version == Version.V2) {
            read(message, from);
        }
        List<Entry> chain = chains.ofNotification(message.method(), to(from));
        record(message, from, chain);
        if (!heldPrompts.isEmpty()
                && from.equals(link.left())
                && message.method().equals(CANCEL)) {
            if (cancelHeld(message.session())) {
                return (cancelled, to) -> {};
            }
        }
        boolean readsStates = interceptsPrompts && version == Version.V2;
        if ((readsStates || !ownPrompts.isEmpty())
                && from.equals(link.right())
                && message.method().equals(UPDATE)) {
            OwnPrompt own = ownPrompt(message.session());
            long number = own == null ? -1 : own.read(message);
            if (readsStates) {
                foreground.read(message);
            }
            if (own != null && number >= 0) {
                return ofOwnPrompt(own, number, chain);
            }
        }
        if (isObservedOnly(chain)) {
            chain.forEach(entry -> watch(entry, to(from), message.method(), null, message));
            return null;
        }
        return (came, to) -> notify(chain, came, to);
    }

    private void record(Message message, Link.End from, List<Entry> chain) {
        if (hops != null) {
            hops.came(message, from.equals(link.left()), chain);
        }
    }

    @Override
    public void cancelling(Message notification, Link.End from) {
        record(notification, from, List.of());
    }

    @Override
    public void answering(IncomingRequest request, Message answer, Link.End to) {
        boolean beginsTurn = version == Version.V2
                && to.equals(link.left())
                && request.method().equals(PROMPT)
                && !answer.isError();
        if (beginsTurn) {
            onAccepted.accept(request.session());
        }
        if (hops != null) {
            hops.answering(request.id(), answer, to.equals(link.left()));
        }
    }

    // In version 2 an update ends a turn, and so does nothing else: what decides that must not die with a component.

    private void read(Message notification, Link.End from) {
        Station of = from.equals(link.right()) ? stationBehind : stationBefore;
        if (of != null && from.equals(link.right()) && notification.method().equals(UPDATE)) {
            of.states().said(notification);
        } else if (of != null
                && from.equals(link.left())
                && notification.method().equals(CANCEL)) {
            of.states().cancel(notification.session(), true);
        }
    }

    @Override
    public void passing(Message notification, Link.End to) {
        if (version != Version.V2) {
            return;
        }
        BiConsumer<String, Boolean> listener = onTurn;
        if (listener != null && to.equals(link.left()) && notification.method().equals(UPDATE)) {
            String state = TurnStates.state(notification);
            if (state != null) {
                listener.accept(notification.session(), !state.equals("idle"));
            }
        }
        Station of = to.equals(link.left()) ? stationBefore : stationBehind;
        if (of != null && to.equals(link.left()) && notification.method().equals(UPDATE)) {
            of.states().told(notification);
        } else if (of != null
                && to.equals(link.right())
                && notification.method().equals(CANCEL)) {
            of.states().cancel(notification.session(), false);
        }
    }

    @Override
    public @Nullable RawJson answer(Message message, Link.End from) {
        boolean isComponent = before != Place.PLAIN && before != Place.OWN;
        boolean isPing = message.method().equals(PING) && isComponent && from.equals(link.left());
        return isPing ? RawJson.EMPTY_OBJECT : null;
    }

    @Override
    public Link.@Nullable RequestInterceptor request(Message message, Link.End from) {
        if (!ownSessions.isUsed()) {
            return requestOfClient(message, from);
        }
        if (from.equals(link.right())) {
            return ownSessions.request(message, () -> requestOfClient(message, from));
        }
        if (ownSessions.isOwn(message.session())) {
            return OwnSessions.refusal(message);
        }
        Link.RequestInterceptor ordinary = requestOfClient(message, from);
        return message.method().equals("session/list")
                ? exchange -> ownSessions.visible(passOn(exchange, ordinary))
                : ordinary;
    }

    /** Has a request intercepted, or passes it on as the link does by itself; observers see the answer, too. */
    final Message passOn(Exchange exchange, Link.@Nullable RequestInterceptor interceptor) throws Exception {
        if (interceptor != null) {
            return interceptor.intercept(exchange);
        }
        Message request = exchange.request();
        Message answer = exchange.forward(request.params());
        answered(request.method(), answer, exchange.from(), request.id());
        return answer;
    }

    private Link.@Nullable RequestInterceptor requestOfClient(Message message, Link.End from) {
        String method = message.method();
        boolean toAgent = from.equals(link.left());
        boolean begins = before == Place.CONDUCTOR
                && toAgent
                && version == null
                && isOfProxies(method)
                && method.endsWith("/initialize");
        List<Entry> chain = chains.ofRequest(begins ? INITIALIZE : method, to(from));
        record(message, from, chain);
        if (toAgent && (withdrawn.contains(method) || withdrawnBehind.contains(method))) {
            return exchange -> {
                throw RpcError.methodNotFound(method);
            };
        }
        Station agentSide = stationBehind;
        if (toAgent && agentSide != null && !OPENINGS.contains(method) && agentSide.hasLost(message.session())) {
            return exchange -> {
                throw new RpcError(
                        RpcError.RESOURCE_NOT_FOUND,
                        "the agent was started again and could not open this session: load it, or begin another one");
            };
        }
        if (isOfProxies(method)) {
            return begins
                    ? this::initialize
                    : exchange -> {
                        throw method.endsWith("/initialize")
                                ? RpcError.invalidRequest(method + ": only a conductor sends this, once, to a proxy")
                                : RpcError.methodNotFound(method);
                    };
        }
        if (method.equals(ToldSessions.METHOD)) {
            boolean isOfConductor = before == Place.CONDUCTOR && toAgent;
            return isOfConductor
                    ? this::reopen
                    : exchange -> {
                        throw RpcError.methodNotFound(method);
                    };
        }
        if (toAgent && method.equals(INITIALIZE)) {
            return before == Place.CONDUCTOR ? Interceptions::refuseToBeAnAgent : this::initialize;
        }
        RpcError why = refused;
        if (toAgent && why != null && version == null) {
            return exchange -> {
                throw why;
            };
        }
        if (toAgent && interceptsPrompts && ENDINGS.contains(method)) {
            foreground.end(message.session());
        }
        if (toAgent && (OPENINGS.contains(method) || ENDINGS.contains(method))) {
            boolean keeps = isFirst || keepsSessions();
            Interceptions asking = previous;
            if (asking != null && asking.remembers) {
                return exchange -> asking.passingOn(
                        exchange, keeps ? keeping(exchange, chain) : intercept(exchange, method, chain));
            }
            if (keeps) {
                return exchange -> keeping(exchange, chain);
            }
        }
        boolean isObservedOnly = isObservedOnly(chain);
        if (toAgent && method.equals(PROMPT) && (!isObservedOnly || endingTurns.isAny(message.session()))) {
            HeldPrompt held = new HeldPrompt(message.session());
            heldPrompts.add(held);
            return new PromptInterceptor(chain, held);
        }
        if (isObservedOnly) {
            chain.forEach(entry -> watch(entry, to(from), method, message.id(), message));
            return null;
        }
        return exchange -> intercept(exchange, method, chain);
    }

    @Override
    public void answered(String method, Message answer, Link.End to) {
        answered(method, answer, to, answer.id());
    }

    private void answered(String method, Message answer, Link.End to, @Nullable RequestId request) {
        if (!watchers.isEmpty()) {
            Method.Side side = to.equals(link.left()) ? Method.Side.CLIENT : Method.Side.AGENT;
            watchers.values().forEach(watcher -> watcher.see(side, method, request, answer));
        }
    }

    /** Whether nothing but observers is among those that see a message: then it passes at once. */
    private static boolean isObservedOnly(List<Entry> chain) {
        for (Entry entry : chain) {
            if (entry.observer() == null) {
                return false;
            }
        }
        return true;
    }

    private void watch(Entry entry, Method.Side to, String method, @Nullable RequestId request, Message message) {
        Objects.requireNonNull(watchers.get(entry)).see(to, method, request, message);
    }

    /** Returns the side to which what came in at an end goes. */
    private Method.Side to(Link.End from) {
        return from.equals(link.left()) ? Method.Side.AGENT : Method.Side.CLIENT;
    }

    private static boolean isOfProxies(String method) {
        return method.startsWith("proxy/") || method.startsWith("_proxy/");
    }

    private static Message refuseToBeAnAgent(Exchange exchange) {
        throw new RpcError(RpcError.INVALID_REQUEST, NO_AGENT);
    }

    /**
     * Whether an interceptor is for what has come to its turn: not when the version lacks its method, and a proxy with
     * states that is no filter leaves sessions alone that it has not seen to be opened. Not to be asked before: what
     * opens the session, or says the version, may be just before it.
     */
    private boolean sees(Entry entry, Message message) {
        String session = message.session();
        return entry.exists(version())
                && (entry.states().isEmpty()
                        || entry.isFilter()
                        || session.isEmpty()
                        || isOpening(message)
                        || sessions.containsKey(session));
    }

    /** What opens a session is seen by all. */
    static boolean isOpening(Message message) {
        return OPENINGS.contains(message.method());
    }

    // ---- notifications

    /** Where a notification goes behind the last interceptor. */
    @FunctionalInterface
    private interface Onward {
        void pass(Message notification, @Nullable RawJson envelopeMeta) throws InterruptedException;
    }

    /** Where a notification is on its way. */
    private record Stage(List<Entry> chain, int index, Envelope envelope, Method.Side to, Onward onward) {
        Stage next() {
            return new Stage(chain, index + 1, envelope, to, onward);
        }
    }

    private void notify(List<Entry> chain, Message came, Link.End to) throws InterruptedException {
        notify(new Stage(chain, 0, new Envelope(came), to(to.other()), to::pass), came);
    }

    private void notify(Stage stage, Message came) throws InterruptedException {
        List<Entry> chain = stage.chain;
        int index = stage.index;
        if (hops != null) {
            hops.forwarded(came, stage.to == Method.Side.AGENT, chain, index);
        }
        if (index == chain.size()) {
            stage.onward.pass(came, stage.envelope.outgoing());
            return;
        }
        Entry entry = chain.get(index);
        if (entry.observer() != null) {
            watch(entry, stage.to, came.method(), null, came);
        }
        if (entry.observer() != null || !sees(entry, came)) {
            notify(stage.next(), came);
            return;
        }
        Codec<?> codec = entry.method() == null ? RawJson.CODEC : entry.method().params(version());
        notify(stage, came, entry, codec);
    }

    private <P> void notify(Stage stage, Message came, Entry entry, Codec<P> codec) throws InterruptedException {
        RawJson raw = came.params() == null ? RawJson.EMPTY_OBJECT : Objects.requireNonNull(came.params());
        NotificationHop<P> hop = null;
        Patience.Watch watch = patience.begin(entry, came);
        try {
            P params = raw.decode(codec, "params");
            hop = new NotificationHop<>(
                    this,
                    entry.part(),
                    stage.envelope,
                    came,
                    params,
                    changed -> notify(
                            stage.next(),
                            changed == params ? came : came.withParams(Merge.changed(raw, params, changed, codec))));
            @SuppressWarnings("unchecked") // The codec is that of the method, which the interceptor was given for.
            Proxy.NotificationInterceptor<P> interceptor =
                    (Proxy.NotificationInterceptor<P>) Objects.requireNonNull(entry.notification());
            interceptor.intercept(params, hop);
            watch.end();
        } catch (Throwable e) {
            watch.end();
            if (e instanceof InterruptedException interrupted && !watch.isEnded()) {
                throw interrupted;
            }
            failed(entry, came.method(), e);
            if (!entry.isFilter() && (hop == null || !hop.isForwarded())) {
                notify(stage.next(), came);
            }
        }
    }

    private void failed(Entry entry, String method, Throwable e) {
        String what = e instanceof JsonException malformed ? malformed.messageWithoutValue() : String.valueOf(e);
        problem(
                entry,
                new Problem(
                        Problem.Kind.INTERCEPTOR_FAILED,
                        method + ": the interceptor of " + entry.proxy() + " failed"
                                + (entry.isFilter() ? ", so it went no further: " : ": ") + what,
                        e));
    }

    // ---- requests

    /** What comes behind the last interceptor. */
    @FunctionalInterface
    private interface End {
        Message forward(@Nullable RawJson params, @Nullable RawJson envelopeMeta) throws Exception;
    }

    /**
     * The way of one request.
     *
     * @param request the request as it came
     * @param exchange the same on its way; null for one of a proxy's own
     * @param afterAnswer takes what is done when it is answered
     * @param to the side to which it goes
     * @param chain the interceptors in the order in which they see it
     * @param held the request, when it is a prompt of the client
     * @param envelope the metadata of its envelopes
     * @param sent what has gone on of it
     */
    private record Way(
            Message request,
            @Nullable Exchange exchange,
            Consumer<Runnable> afterAnswer,
            Method.Side to,
            String method,
            List<Entry> chain,
            End end,
            @Nullable HeldPrompt held,
            Envelope envelope,
            Sent sent) {
        /** Returns the way under another method, by other interceptors. */
        Way as(String other, List<Entry> behind, End last) {
            return new Way(request, exchange, afterAnswer, to, other, behind, last, null, envelope, sent);
        }
    }

    /** What has gone on behind the last interceptor, the last time. For one thread. */
    private static final class Sent {
        private String method;
        private RawJson params = RawJson.EMPTY_OBJECT;

        Sent(String method) {
            this.method = method;
        }

        void set(String as, @Nullable RawJson with) {
            method = as;
            params = with == null ? RawJson.EMPTY_OBJECT : with;
        }
    }

    private Way way(Exchange exchange, String method, List<Entry> chain, End end) {
        return way(exchange, method, chain, end, null);
    }

    private Way way(Exchange exchange, String method, List<Entry> chain, End end, @Nullable HeldPrompt held) {
        return new Way(
                exchange.request(),
                exchange,
                action -> exchange.afterAnswer(answer -> action.run()),
                to(exchange.from()),
                method,
                chain,
                end,
                held,
                new Envelope(exchange.request()),
                new Sent(method));
    }

    private Message intercept(Way way, int index, @Nullable RawJson params) throws Exception {
        Hops recorded = hops;
        if (recorded == null || index == 0) {
            return interceptNext(way, index, params);
        }
        RequestId id = Objects.requireNonNull(way.request.id());
        boolean toAgent = way.to == Method.Side.AGENT;
        recorded.forwarded(Message.request(id, way.method, params), toAgent, way.chain, index);
        try {
            Message answer = interceptNext(way, index, params);
            recorded.answered(id, answer, toAgent, way.chain, index);
            return answer;
        } catch (Exception e) {
            recorded.failed(id, e, toAgent, way.chain, index);
            throw e;
        }
    }

    private Message interceptNext(Way way, int index, @Nullable RawJson params) throws Exception {
        if (index == way.chain.size()) {
            way.sent.set(way.method, params);
            return way.end.forward(params, way.envelope.outgoing());
        }
        Entry entry = way.chain.get(index);
        if (entry.observer() != null) {
            return observe(way, index, entry, params);
        }
        if (!sees(entry, way.request)) {
            return intercept(way, index + 1, params);
        }
        Method<?, ?> method = entry.method();
        return method == null
                ? intercept(way, index, params, RawJson.CODEC, () -> RawJson.CODEC)
                : intercept(way, index, params, method.params(version()), () -> method.result(version()));
    }

    private Message observe(Way way, int index, Entry observer, @Nullable RawJson params) throws Exception {
        Method.Side to = way.to;
        RequestId id = Objects.requireNonNull(way.request.id());
        watch(observer, to, way.method, id, Message.request(id, way.method, params));
        Message answer = intercept(way, index + 1, params);
        watch(observer, to == Method.Side.AGENT ? Method.Side.CLIENT : Method.Side.AGENT, way.method, id, answer);
        return answer;
    }

    /**
     * Calls one interceptor.
     *
     * @param result returns the codec of the result, which for {@code initialize} is known with the answer
     */
    private <P, R> Message intercept(
            Way way, int index, @Nullable RawJson came, Codec<P> codec, Supplier<Codec<R>> result) throws Exception {
        Entry entry = way.chain.get(index);
        RawJson raw = came == null ? RawJson.EMPTY_OBJECT : came;
        P params;
        try {
            params = raw.decode(codec, "params");
        } catch (JsonException e) {
            failed(entry, way.method, e);
            if (entry.isFilter()) {
                throw RpcError.invalidParams(e.messageWithoutValue());
            }
            return intercept(way, index + 1, came);
        }
        @SuppressWarnings("unchecked") // The codecs are those of the method, which the interceptor was given for.
        Proxy.RequestInterceptor<P, R> interceptor =
                (Proxy.RequestInterceptor<P, R>) Objects.requireNonNull(entry.request());
        RequestHop<P, R> hop = new RequestHop<>(
                this,
                entry.part(),
                way.envelope,
                way.request,
                way.exchange,
                way.afterAnswer,
                params,
                result,
                changed -> intercept(
                        way, index + 1, changed == params ? came : Merge.changed(raw, params, changed, codec)),
                (method, other) -> forwardAs(way, entry, method, other),
                way.held == null ? null : (prompt, updates) -> promptFirst(way, way.held, index, prompt, updates),
                way.held == null ? () -> false : way.held::isCancelled);
        Patience.Watch watch = patience.begin(entry, way.request);
        try {
            return interceptor.intercept(params, hop).raw();
        } catch (InterruptedException e) {
            if (!watch.isEnded()) {
                throw e;
            }
            failed(entry, way.method, new IllegalStateException("it was ended, since it took too long", e));
            throw internal();
        } catch (CancellationException e) {
            throw e;
        } catch (Exception e) {
            // An error of another peer, which a client of the proxy's own has thrown, answers nothing here.
            boolean isMeant = e instanceof RpcException
                    && !(e instanceof RpcError error && !error.method().isEmpty());
            if (isMeant || hop.isCancelled()) {
                throw e;
            }
            failed(entry, way.method, e);
            throw internal();
        } finally {
            watch.end();
        }
    }

    private static RpcError internal() {
        return new RpcError(RpcError.INTERNAL_ERROR, "Internal error");
    }

    /** Forwards a request under another method, by the interceptors of that which are behind one of this. */
    private Message forwardAs(Way way, Entry entry, String method, RawJson params) throws Exception {
        List<Entry> all = entry.to() == Method.Side.AGENT
                ? proxy.entries()
                : proxy.entries().reversed();
        List<Entry> behind = new ArrayList<>(List.of(entry));
        all.subList(all.indexOf(entry) + 1, all.size()).stream()
                .filter(other -> other.isFor(entry.to(), true, method))
                .forEach(behind::add);
        Exchange exchange = way.exchange;
        End end = exchange == null
                ? (changed, meta) -> ask(way.to, method, changed, meta)
                : (changed, meta) -> forward(exchange, method, changed, meta);
        // Behind the one that forwards, which is where the message comes from.
        Message answer = intercept(way.as(method, behind, end), 1, params);
        if (!proxy.states().isEmpty() && OPENINGS.contains(method) && !answer.isError()) {
            boolean unused = open(new ToldSessions.Open(answer.session(), method, params, null, null));
        }
        return answer;
    }

    private Message intercept(Exchange exchange, String method, List<Entry> chain) throws Exception {
        Way way = way(exchange, method, chain, (params, meta) -> forward(exchange, method, params, meta));
        return intercept(way, 0, exchange.request().params());
    }

    /** Passes a request on. A session that its answer opens is one that the client does not know yet. */
    private Message forward(Exchange exchange, String method, @Nullable RawJson params, @Nullable RawJson envelopeMeta)
            throws InterruptedException {
        Message answer = exchange.forward(method, params, envelopeMeta);
        boolean names = NAMINGS.contains(method) && exchange.from().equals(link.left());
        if (names && !answer.isError() && !answer.session().isEmpty()) {
            unannounced.begin(answer.session(), exchange);
        }
        return answer;
    }

    // ---- messages of a proxy's own

    /** Returns the interceptors of the proxies between one and the side to which its own message goes. */
    private List<Entry> between(Part by, Method.Side to, boolean isRequest, String method) {
        // What opens, prompts and ends sessions is kept or held for requests of a client: see ownTransport.
        boolean isOfClient = method.equals(INITIALIZE)
                || method.equals(PROMPT)
                || OPENINGS.contains(method)
                || ENDINGS.contains(method);
        return isOfClient
                ? List.of()
                : proxy.between(by, to).stream()
                        .filter(entry -> entry.isFor(to, isRequest, method))
                        .toList();
    }

    private Link.End end(Method.Side side) {
        return side == Method.Side.AGENT ? link.right() : link.left();
    }

    /**
     * Sends a notification of a proxy's own through those between it and the side to which it goes. What names a
     * session of which the client does not know yet goes when it does.
     */
    void send(Part by, Method.Side to, Message notification) throws InterruptedException {
        boolean isDeferred = to == Method.Side.CLIENT
                && unannounced.isAny()
                && unannounced.defer(notification.session(), () -> sendNow(by, to, notification));
        if (!isDeferred) {
            sendNow(by, to, notification);
        }
    }

    private void sendNow(Part by, Method.Side to, Message notification) throws InterruptedException {
        List<Entry> between = between(by, to, false, notification.method());
        if (hops != null) {
            hops.said(by, notification, to == Method.Side.AGENT, between);
        }
        Onward onward = (sent, meta) -> end(to).awaitChannel()
                .send(sent.method(), Objects.requireNonNullElse(sent.params(), RawJson.EMPTY_OBJECT), meta);
        notify(new Stage(between, 0, new Envelope(notification), to, onward), notification);
    }

    /**
     * Sends a request of a proxy's own through those between it and the side to which it goes, and waits for the
     * result.
     *
     * @throws RpcException when it is answered with an error, or will not be answered
     */
    RawJson call(Part by, Method.Side to, String method, RawJson params) throws InterruptedException {
        List<Entry> between = between(by, to, true, method);
        RequestId id = RequestId.of(by.name() + "-" + ownRequests.incrementAndGet());
        Message request = Message.request(id, method, params);
        boolean toAgent = to == Method.Side.AGENT;
        Hops recorded = hops;
        if (recorded != null) {
            recorded.said(by, request, toAgent, between);
        }
        Message answer;
        try {
            answer = between.isEmpty() ? ask(to, method, params, null) : ask(between, to, request);
        } catch (RuntimeException | InterruptedException e) {
            if (recorded != null) {
                recorded.heard(by, id, Hops.noAnswer(id, e), toAgent, between);
            }
            throw e;
        }
        if (recorded != null) {
            recorded.heard(by, id, answer, toAgent, between);
        }
        RawJson error = answer.error();
        if (error != null) {
            throw RpcError.ofAnswer(error);
        }
        return Objects.requireNonNullElse(answer.result(), RawJson.NULL);
    }

    /** Has a request of a proxy's own intercepted. */
    private Message ask(List<Entry> between, Method.Side to, Message request) throws InterruptedException {
        String method = request.method();
        List<Runnable> afterwards = new ArrayList<>(0);
        End end = (params, meta) -> ask(to, method, params, meta);
        Way way = new Way(
                request,
                null,
                afterwards::add,
                to,
                method,
                between,
                end,
                null,
                new Envelope(request),
                new Sent(method));
        try {
            Message answer = intercept(way, 0, request.params());
            afterwards.forEach(Runnable::run);
            return answer;
        } catch (RpcException | InterruptedException e) {
            throw e;
        } catch (Exception e) {
            problem(new Problem(Problem.Kind.INTERCEPTOR_FAILED, method + ": an interceptor failed: " + e, e));
            throw internal();
        }
    }

    /** Sends a request to a side and waits for the answer. */
    private Message ask(Method.Side to, String method, @Nullable RawJson params, @Nullable RawJson envelopeMeta)
            throws InterruptedException {
        Call call = end(to).awaitChannel()
                .start(method, Objects.requireNonNullElse(params, RawJson.EMPTY_OBJECT), envelopeMeta);
        try {
            RawJson unused = call.await(Duration.ZERO);
        } catch (RpcError e) {
            return call.answer().orElseThrow(() -> e);
        }
        return call.answer().orElseThrow();
    }

    // ---- prompts

    /** Holds a prompt until its interceptors have forwarded it. */
    private final class PromptInterceptor implements Link.RequestInterceptor {
        private final List<Entry> chain;
        private final HeldPrompt held;

        PromptInterceptor(List<Entry> chain, HeldPrompt held) {
            this.chain = chain;
            this.held = held;
        }

        @Override
        public Message intercept(Exchange exchange) throws Exception {
            return Interceptions.this.intercept(exchange, chain, held);
        }

        @Override
        public void cancelled() {
            heldPrompts.remove(held);
        }
    }

    private Message intercept(Exchange exchange, List<Entry> chain, HeldPrompt held) throws Exception {
        End end = (params, meta) -> {
            endingTurns.await(exchange.request().session());
            held.release();
            try {
                return exchange.forward(PROMPT, params, meta);
            } finally {
                if (version() == Version.V1) {
                    held.answered();
                }
            }
        };
        Way way = way(exchange, PROMPT, chain, end, held);
        try {
            held.begin();
            return intercept(way, 0, exchange.request().params());
        } catch (Exception e) {
            if (!held.isCancelled() || exchange.isCancelled()) {
                throw e;
            }
            if (version() == Version.V2) {
                throw RpcError.cancelled();
            }
            return Message.result(
                    RequestId.NULL,
                    RawJson.encode(PromptResponse.of(StopReason.CANCELLED), AgentMethods.PROMPT.result()));
        } finally {
            held.end();
            heldPrompts.remove(held);
        }
    }

    /** Runs a prompt of the proxy's own through the interceptors behind the one that wants it. */
    private StopReason promptFirst(
            Way way,
            HeldPrompt held,
            int index,
            List<ContentBlock> prompt,
            Proxy.NotificationInterceptor<SessionNotification> updates)
            throws Exception {
        held.requireHeld();
        Exchange exchange = Objects.requireNonNull(way.exchange);
        endingTurns.await(exchange.request().session());
        Version spoken = version();
        OwnPrompt own = new OwnPrompt(held, exchange, spoken, foreground, way.chain.get(index), updates);
        SessionId session = SessionId.of(way.request.session());
        RawJson params = RawJson.encode(PromptRequest.of(session, prompt), AgentMethods.PROMPT.params(spoken));
        return own.outcome(
                intercept(way(exchange, PROMPT, way.chain, (sent, meta) -> send(own, sent), held), index + 1, params));
    }

    private Message send(OwnPrompt own, @Nullable RawJson params) throws InterruptedException {
        ownPrompts.add(own);
        try {
            return own.send(params);
        } catch (ConnectionClosedException e) {
            // An agent that has died does not say that it is idle, and another one begins so.
            foreground.end(own.session());
            if (own.isAnswered()) {
                // Nobody hears its turn. Before anything else of the session: it would be cancelled, too.
                cancelTurn(own.session(), link.right().awaitChannel());
            }
            throw e;
        } finally {
            ownPrompts.remove(own);
        }
    }

    /**
     * What was before the link has ended. Its prompts that were passed on are cancelled, so that no turn goes on
     * unattended; later ones of their sessions wait until these are answered.
     *
     * @return the sessions of these, and what ends the waiting if they are not; it may run more than once
     */
    Map<String, Runnable> endedBefore(Connection dead) {
        heldPrompts.forEach(HeldPrompt::cancel);
        heldPrompts.clear();
        Map<String, Runnable> cancelled = new HashMap<>();
        for (IncomingRequest request : dead.unanswered()) {
            if (request.method().equals(PROMPT)) {
                Runnable ended = endingTurns.add(request.session());
                request.onAnswered(ended);
                cancelled.merge(request.session(), ended, (one, other) -> () -> {
                    one.run();
                    other.run();
                });
            }
        }
        cancelled.keySet().forEach(this::cancelTurn);
        return cancelled;
    }

    /** Returns whether prompts of a session wait for the end of a turn that was cancelled. */
    boolean isTurnEnding(String session) {
        return endingTurns.isAny(session);
    }

    /**
     * Has later prompts of a session wait for the end of a turn that nobody else waits for.
     *
     * @return what is to run when it has ended; it may run more than once
     */
    Runnable endingTurn(String session) {
        return endingTurns.add(session);
    }

    void cancelTurn(String session) {
        try {
            cancelTurn(session, link.right().channel());
        } catch (IllegalStateException e) {
            // What is behind the link has ended, too, and its turns with it.
        }
    }

    private static void cancelTurn(String session, Channel to) {
        try {
            to.send(CANCEL, CancelNotification.of(SessionId.of(session)), AgentMethods.CANCEL.params());
        } catch (ConnectionClosedException e) {
            // What is behind the link has ended, too, and its turns with it.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Cancels the prompts of a session that were not forwarded yet. Returns whether that is all there is to cancel: the
     * agent has no turn but that of a proxy's own prompt, which is cancelled with the one that it runs before. In
     * version 2 other turns are not known here, since their prompts are answered when they begin.
     */
    private boolean cancelHeld(String session) {
        OwnPrompt own = ownPrompt(session);
        boolean isOwnTurn = own != null && own.isAnswered();
        boolean isAny = false;
        boolean isAll = true;
        for (HeldPrompt held : heldPrompts) {
            if (held.isOf(session)) {
                boolean isHeld = held.cancel();
                isAny |= isHeld;
                isAll &= isHeld;
            }
        }
        return isAny && isAll && (version() == Version.V1 || isOwnTurn);
    }

    private @Nullable OwnPrompt ownPrompt(String session) {
        for (OwnPrompt own : ownPrompts) {
            if (own.session().equals(session)) {
                return own;
            }
        }
        return null;
    }

    /** Intercepts an update that may be of a proxy's own prompt: by its choice, in its place. */
    private Link.NotificationInterceptor ofOwnPrompt(OwnPrompt own, long number, List<Entry> chain) {
        List<Entry> all = new ArrayList<>();
        for (Entry entry : proxy.entries().reversed()) {
            if (own.isOwnedBy(entry)) {
                all.add(own.filter(number));
            } else if (chain.contains(entry)) {
                all.add(entry);
            }
        }
        return (came, to) -> {
            try {
                notify(all, came, to);
            } finally {
                own.delivered(number);
            }
        };
    }

    // ---- what is kept for sessions

    private Message keeping(Exchange exchange, List<Entry> chain) throws Exception {
        String method = exchange.request().method();
        String named = exchange.request().session();
        boolean isOpened = false;
        if (method.equals("session/load") || method.equals("session/resume")) {
            // A replay comes before the answer.
            RawJson params = exchange.request().params();
            isOpened = open(
                    new ToldSessions.Open(named, method, params == null ? RawJson.EMPTY_OBJECT : params, null, null));
        }
        Way way = way(exchange, method, chain, (params, meta) -> forward(exchange, method, params, meta));
        boolean isDone = false;
        try {
            Message answer = intercept(way, 0, exchange.request().params());
            isDone = !answer.isError();
            if (isDone && OPENINGS.contains(method)) {
                boolean isNamed = method.equals("session/load") || method.equals("session/resume");
                String session = isNamed ? named : answer.session();
                SessionId source = method.equals("session/fork") && !named.isEmpty() ? SessionId.of(named) : null;
                boolean unused = open(new ToldSessions.Open(session, method, way.sent.params, source, null));
                if ((remembers || isFirst) && !session.isEmpty()) {
                    told.add(new ToldSessions.Open(
                            session, way.sent.method, way.sent.params, source, passedOn.remove(session)));
                }
                tell(session, true);
            }
            return answer;
        } finally {
            if (isDone ? ENDINGS.contains(method) : isOpened) {
                forget(named);
                told.remove(named);
                tell(named, false);
            }
        }
    }

    /** The component behind this link has passed on what opens or ends a session, and that is answered. */
    private Message passingOn(Exchange exchange, Message answer) {
        String method = exchange.request().method();
        String named = exchange.request().session();
        RawJson params = exchange.request().params();
        if (!answer.isError() && ENDINGS.contains(method)) {
            passedOn.remove(named);
        } else if (!answer.isError() && params != null) {
            boolean isNamed = method.equals("session/load") || method.equals("session/resume");
            passedOn.put(isNamed ? named : answer.session(), params.copy());
        }
        return answer;
    }

    /** Before the client hears it: what it says next may pass by other links. */
    private void tell(String session, boolean isOpen) throws InterruptedException {
        ChainSessions all = chainSessions;
        if (all != null && !session.isEmpty()) {
            all.changed(session, isOpen);
        }
    }

    /** The conductor has started this program again, and lists the sessions that are open. */
    private Message reopen(Exchange exchange) {
        List<ToldSessions.Open> all;
        try {
            all = ToldSessions.read(exchange.request().params());
        } catch (JsonException e) {
            throw RpcError.invalidParams(e.messageWithoutValue());
        }
        reopen(all);
        onReopened.accept(all);
        return Message.result(RequestId.NULL, RawJson.EMPTY_OBJECT);
    }

    void reopen(List<ToldSessions.Open> all) {
        for (ToldSessions.Open one : all) {
            boolean unused = open(one);
            if (remembers || isFirst) {
                told.add(one);
            }
        }
    }

    /** Returns false when the session is open already: it keeps what it has. */
    private boolean open(ToldSessions.Open one) {
        String session = one.session();
        if (session.isEmpty() || sessions.containsKey(session)) {
            return false;
        }
        Map<SessionState<?>, Object> kept = new HashMap<>();
        for (SessionState<?> state : proxy.states()) {
            kept.put(
                    state,
                    state.make(new SessionState.Opening(
                            client(owner(state)),
                            SessionId.of(session),
                            one.method(),
                            one.params(),
                            one.from(),
                            one.passedOn())));
        }
        boolean isNew = sessions.putIfAbsent(session, Map.copyOf(kept)) == null;
        if (hasEnded) {
            forget(session);
        }
        return isNew;
    }

    /** Returns the proxy that keeps a state. */
    private Part owner(SessionState<?> state) {
        return proxy.entries().stream()
                .map(Entry::part)
                .filter(part -> part.states().contains(state))
                .findFirst()
                .orElse(Part.NONE);
    }

    // ---- initialization

    private Message initialize(Exchange exchange) throws Exception {
        refused = null;
        try {
            return initializeAll(exchange);
        } catch (Exception e) {
            // An error that the agent answers with is none of these: what it does with later requests is its matter.
            refused = refusal(e);
            throw e;
        }
    }

    /** Returns what later requests are answered with, as long as there is no other initialization. */
    private static @Nullable RpcError refusal(Exception why) {
        if (why instanceof RpcError error) {
            return error.code() == RpcError.REQUEST_CANCELLED ? null : error;
        }
        return why instanceof InterruptedException ? null : internal();
    }

    /** Asks what is behind the link to initialize. */
    Message askBehind(Exchange exchange, @Nullable RawJson params) throws InterruptedException {
        return exchange.forward(initializeBehind(), params);
    }

    private Message initializeAll(Exchange exchange) throws Exception {
        wasAsked = true;
        Version agreedBefore = version;
        RawJson askedBefore = asked;
        Message request = exchange.request();
        RawJson kept = initialized;
        if (kept != null
                && (!isKept || version != null)
                && (before == Place.COMPONENT || before == Place.LEGACY_COMPONENT)) {
            return Message.result(RequestId.NULL, kept);
        }
        if (before == Place.CONDUCTOR) {
            String envelope = request.method().startsWith("_") ? LEGACY_SUCCESSOR : SUCCESSOR;
            toConductor.bind(new Channel(toConductor.channel().connection(), envelope));
        }
        List<Entry> chain = proxy.entries().stream()
                .filter(entry -> entry.isFor(Method.Side.AGENT, true, INITIALIZE))
                .toList();
        long wanted = versionIn(request.params());
        asked = request.params();
        require(wanted, Math.min(wanted, Version.V2.number()));
        long[] agreed = {-1};
        // The params have the words of the version that is asked for, the result has those of the version agreed on.
        version = of(wanted);
        End end = (params, meta) -> {
            requireSame(wanted, versionIn(params), "asks for");
            Message answer =
                    isKept && kept != null ? Message.result(RequestId.NULL, kept) : askBehind(exchange, params);
            agreed[0] = versionIn(answer.result());
            if (behind == Place.PLAIN && !answer.isError()) {
                requireAgreement(wanted, agreed[0]);
            }
            version = of(agreed[0]);
            RawJson error = answer.error();
            if (error != null) {
                RpcError came = RpcError.ofAnswer(error);
                RpcError changed = onRefused.apply(came);
                if (changed != came) {
                    throw changed;
                }
            } else {
                answer = remembering(answer);
                if (!isKept) {
                    initializedWith = params == null ? RawJson.EMPTY_OBJECT : params;
                }
                initialized = answer.result();
            }
            return answer;
        };
        boolean isDone = false;
        try {
            Message answer = intercept(way(exchange, INITIALIZE, chain, end), 0, request.params());
            if (!answer.isError()) {
                requireSame(agreed[0], versionIn(answer.result()), "answers");
                require(wanted, agreed[0]);
                if (before != Place.OWN) {
                    reportWhatIsMissing(version());
                    reportWhatIsNotServed(initialized, answer.result());
                }
                askedBy = request.method();
                askedWith = request.params() == null ? RawJson.EMPTY_OBJECT : request.params();
                shown = answer.result();
                isDone = true;
                RawJson result = answer.result();
                if (before == Place.CONDUCTOR && result != null && asksForSessions.getAsBoolean()) {
                    return answer.withResult(ToldSessions.ask(result));
                }
            }
            return answer;
        } finally {
            if (!isDone) {
                // The connection goes on as it was, if it was initialized before.
                version = agreedBefore;
                asked = agreedBefore == null ? asked : askedBefore;
            }
        }
    }

    /** Returns the answer of a component without what is for the conductor alone. */
    private Message remembering(Message answer) {
        RawJson result = answer.result();
        boolean isOfComponent = behind == Place.COMPONENT || behind == Place.LEGACY_COMPONENT;
        if (!isOfComponent || result == null || !ToldSessions.isAsked(result)) {
            return answer;
        }
        remembers = true;
        return answer.withResult(ToldSessions.withoutAsking(result));
    }

    /** Returns the version in whose words a version is read. */
    private static Version of(long number) {
        return number >= Version.V2.number() ? Version.V2 : Version.V1;
    }

    /** Refuses a version that the proxy does not know, if it says which it knows. */
    private void require(long asked, long found) {
        Set<Version> known = proxy.versions();
        if (known.isEmpty() || found < 0 || (found <= Version.V2.number() && known.contains(of(found)))) {
            return;
        }
        throw unsupported(asked, found, known);
    }

    /** The agent at the end must answer with a version that it was asked for, or an older one. */
    private static void requireAgreement(long asked, long answered) {
        if (answered < 0 || (asked >= 0 && answered > asked)) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR,
                    "The agent answered initialize "
                            + (answered < 0 ? "without a protocolVersion" : "with protocolVersion " + answered)
                            + (asked < 0 ? "" : ", but the client asks for " + asked));
        }
    }

    RpcError unsupported(long asked, long found, Set<Version> known) {
        JsonWriter data = new JsonWriter();
        data.beginObject();
        data.name("requested");
        data.int64(asked);
        data.name("supported");
        data.beginArray();
        for (Version one : Version.values()) {
            if (known.contains(one)) {
                data.int64(one.number());
            }
        }
        data.endArray();
        data.endObject();
        return new RpcError(
                ErrorCode.UNSUPPORTED_PROTOCOL_VERSION.value(),
                "the proxy " + proxy.name() + " does not know version " + found + " of the protocol",
                data.toRawJson());
    }

    private static void requireSame(long came, long now, String does) {
        if (came >= 0 && came != now) {
            throw new IllegalStateException("a proxy must not change the version: it " + does + " " + now
                    + " instead of " + came + "; a translator stands at an end of the chain");
        }
    }

    /** Returns the version that params or a result name; -1 if they name none. */
    static long versionIn(@Nullable RawJson object) {
        long found = -1;
        if (object == null || object.reader().kind() != JsonReader.Kind.OBJECT) {
            return found;
        }
        JsonReader in = object.reader();
        in.beginObject();
        int member;
        while ((member = in.member(VERSION)) != JsonReader.END) {
            long start = in.mark();
            try {
                if (member == 0) {
                    found = in.int64();
                    continue;
                }
            } catch (JsonException e) {
                // The peer says what is wrong with it.
                in.rewind(start);
            }
            in.skip();
        }
        return found;
    }

    /** Interceptors of methods that the version lacks have no effect. */
    private void reportWhatIsMissing(Version spoken) {
        for (Entry entry : proxy.entries()) {
            Method<?, ?> method = entry.method();
            boolean hasAnother = method != null
                    && proxy.entries().stream()
                            .anyMatch(other -> other.method() != null
                                    && other.method().name().equals(method.name())
                                    && other.to() == entry.to()
                                    && other.exists(spoken));
            if (method != null && !entry.exists(spoken) && !hasAnother) {
                problem(
                        entry,
                        new Problem(
                                Problem.Kind.INTERCEPTOR_FAILED,
                                entry.proxy() + " intercepts " + method.name() + ", which version " + spoken.number()
                                        + " of the protocol does not have",
                                null));
            }
        }
    }

    /** A capability that interceptors add to those of the agent promises a method that one of them has to answer. */
    private void reportWhatIsNotServed(@Nullable RawJson came, @Nullable RawJson changed) {
        if (came == null || changed == null || came.equals(changed)) {
            return;
        }
        String all = version() == Version.V2 ? "capabilities." : "agentCapabilities.";
        for (Method<?, ?> method : AgentMethods.all(version())) {
            String capability = method.capability(version());
            boolean isAdded = !capability.isEmpty()
                    && !isOffered(came.value(), all + capability)
                    && isOffered(changed.value(), all + capability);
            if (isAdded && proxy.entries().stream().noneMatch(e -> e.isFor(Method.Side.AGENT, true, method.name()))) {
                problem(new Problem(
                        Problem.Kind.INTERCEPTOR_FAILED,
                        proxy.name() + " adds the capability " + capability + ", and has no interceptor for "
                                + method.name(),
                        null));
            }
        }
    }

    private static boolean isOffered(JsonValue of, String path) {
        int dot = path.indexOf('.');
        JsonValue member = of instanceof JsonObject object
                ? object.get(dot < 0 ? path : path.substring(0, dot)).orElse(JsonNull.INSTANCE)
                : JsonNull.INSTANCE;
        return dot < 0
                ? !member.equals(JsonNull.INSTANCE) && !member.equals(new JsonBoolean(false))
                : isOffered(member, path.substring(dot + 1));
    }

    // ---- answers that will not come

    @Override
    public RpcError lost(String method, Link.End at, RuntimeException why) {
        if (why instanceof RpcError error) {
            return error;
        }
        Station station = at.equals(link.right()) ? stationBehind : stationBefore;
        if (station != null) {
            return station.lost(method, why);
        }
        String neighbour = at.equals(link.right()) ? "the agent" : "the client";
        boolean isGone = why instanceof RpcException;
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("acp4j");
        out.beginObject();
        out.name("component");
        out.string(neighbour);
        out.name("cause");
        out.string(isGone ? "ended" : "refused");
        out.endObject();
        out.endObject();
        return new RpcError(
                RpcError.INTERNAL_ERROR,
                method + " was not answered: " + neighbour
                        + (isGone ? " has ended" : " got no request: " + why.getMessage()),
                out.toRawJson());
    }
}
