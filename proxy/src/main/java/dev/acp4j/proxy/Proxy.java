package dev.acp4j.proxy;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Link;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Stands between a client and an agent, which do not know of it, and intercepts what they say. What it does not
 * intercept passes untouched: params, results and errors byte for byte, in the order of the wire.
 *
 * <pre>{@code
 * Proxy brief = Proxy.builder("brief", "1.0")
 *         .onPrompt((prompt, hop) -> hop.forward(prompt.append(ContentBlock.text("Be brief."))))
 *         .build();
 * brief.serve(Stdio.system());                                  // a program under a conductor
 * Client.builder("me", "1.0").connect(brief.before(transport)); // in this program
 * }</pre>
 *
 * <p>One definition serves version 1 and version 2. Immutable; one object may stand in many places at once.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/proxy-chains">Proxy chains</a>
 */
@Unstable
public final class Proxy {
    /**
     * How much may be on its way to a client in this program. It decodes more slowly than the proxy passes on, and what
     * waits for it grows old in the heap.
     */
    private static final int QUEUE_BYTES = 128 * 1024;

    private final String name;
    private final String version;
    private final List<Entry> entries;
    private final List<SessionState<?>> states;
    private final Set<Version> versions;
    private final Consumer<Problem> onProblem;
    private final Limits limits;

    private Proxy(
            String name,
            String version,
            List<Entry> entries,
            List<SessionState<?>> states,
            Set<Version> versions,
            Consumer<Problem> onProblem,
            Limits limits) {
        this.name = name;
        this.version = version;
        this.entries = List.copyOf(entries);
        this.states = List.copyOf(states);
        this.versions = Set.copyOf(versions);
        this.onProblem = onProblem;
        this.limits = limits;
    }

    /**
     * Intercepts requests. What is behind the request in its session and direction waits until it was forwarded,
     * answered or refused; and what is behind the answer waits until the interceptor returns. Other sessions go on.
     *
     * @param <P> the params
     * @param <R> the result
     */
    @FunctionalInterface
    public interface RequestInterceptor<P, R> {
        /**
         * Intercepts a request. May block; the thread is interrupted when the request is cancelled.
         *
         * @param params the params
         * @param hop forwards the request, or answers it
         * @return the answer
         * @throws Exception to refuse the request: an {@link dev.acp4j.rpc.RpcError} as it is, anything else as
         *     internal error without its text
         */
        Answer<R> intercept(P params, RequestHop<P, R> hop) throws Exception;
    }

    /**
     * Intercepts notifications, one after another within a session.
     *
     * @param <P> the params
     */
    @FunctionalInterface
    public interface NotificationInterceptor<P> {
        /**
         * Intercepts a notification. May block. What it does not forward is dropped.
         *
         * @param params the params
         * @param hop forwards it
         * @throws Exception is reported; unless the proxy is a {@linkplain Builder#filter filter}, the notification
         *     then goes on as it came
         */
        void intercept(P params, NotificationHop<P> hop) throws Exception;
    }

    /** Sees what passes, and can neither change it nor hold it up. */
    @FunctionalInterface
    public interface Observer {
        /**
         * Gets the next message, one after another, on a thread of the observer's own.
         *
         * @throws Exception is reported
         */
        void observe(Observation seen) throws Exception;
    }

    /** Begins a proxy. */
    public static Builder builder(String name, String version) {
        return new Builder(name, version);
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the version of the program. */
    public String version() {
        return version;
    }

    /**
     * Returns a proxy that does what this one and another one do, this one nearer to the client: what two of them do
     * one after the other, without a step more for what neither intercepts. The {@linkplain Builder#limits bounds of
     * connections} are those of this one.
     *
     * @throws IllegalArgumentException when there is no version of the protocol that both know
     */
    public Proxy then(Proxy next) {
        List<Entry> all = new ArrayList<>(entries);
        all.addAll(next.entries);
        List<SessionState<?>> kept = new ArrayList<>(states);
        kept.addAll(next.states);
        return new Proxy(
                name + ", " + next.name,
                version,
                all,
                kept,
                versionsWith(next),
                both(onProblem, next.onProblem),
                limits);
    }

    private static Consumer<Problem> both(Consumer<Problem> one, Consumer<Problem> other) {
        if (one.equals(other) || other.equals(Problems.LOG)) {
            return one;
        }
        return one.equals(Problems.LOG) ? other : one.andThen(other);
    }

    private Set<Version> versionsWith(Proxy next) {
        if (versions.isEmpty() || next.versions.isEmpty()) {
            return versions.isEmpty() ? next.versions : versions;
        }
        Set<Version> both = new HashSet<>(versions);
        both.retainAll(next.versions);
        if (both.isEmpty()) {
            throw new IllegalArgumentException(name + " and " + next.name + " know no common version of the protocol");
        }
        return both;
    }

    /**
     * Serves a conductor until the connection has ended: the program of a proxy.
     *
     * @throws InterruptedException when interrupted; the connection is closed
     * @throws ConnectionClosedException when the connection failed; not when the conductor closed it
     */
    public void serve(Transport conductor) throws InterruptedException {
        serve(conductor, Time.SYSTEM);
    }

    void serve(Transport conductor, Time time) throws InterruptedException {
        Interceptions interceptions =
                new Interceptions(this, Interceptions.Place.CONDUCTOR, Interceptions.Place.CONDUCTOR);
        Link link = interceptions.link();
        Connection connection = builder(
                        conductor, interceptions, Link.handler(link.left(), link.right(), Interceptions.SUCCESSOR))
                .envelopes(Interceptions.SUCCESSOR, Interceptions.LEGACY_SUCCESSOR)
                .name(name)
                .time(time)
                .onEnded(interceptions::ended)
                .start();
        try (connection) {
            connection.awaitClosed();
        }
        Optional<Throwable> failure = connection.failure();
        if (failure.isPresent()) {
            throw new ConnectionClosedException(
                    "the connection failed: " + failure.get().getMessage(), null, failure.get());
        }
    }

    /**
     * Stands between a client and an agent in this program. Either side that ends, ends the other.
     *
     * @param client where the client is
     * @param agent where the agent is
     * @return the proxy at work; both transports are closed with it
     */
    public RunningProxy join(Transport client, Transport agent) {
        return join(client, agent, limits);
    }

    private RunningProxy join(Transport client, Transport agent, Limits ofClient) {
        Interceptions interceptions = new Interceptions(this, Interceptions.Place.PLAIN, Interceptions.Place.PLAIN);
        Link link = interceptions.link();
        Connection.Builder toClient = builder(client, interceptions, Link.handler(link.left()))
                .name(name + "-client")
                .limits(ofClient)
                .onEnded(() -> {
                    RunningProxy.closeLater(link.right());
                    interceptions.ended();
                });
        Connection.Builder toAgent = builder(agent, interceptions, Link.handler(link.right()))
                .name(name + "-agent")
                .onEnded(() -> RunningProxy.closeLater(link.left()));
        List<Connection> connections = Link.start(toClient, toAgent);
        return new RunningProxy(connections);
    }

    private Connection.Builder builder(Transport transport, Interceptions interceptions, Handler handler) {
        return Connection.builder(transport, handler)
                .limits(limits)
                .answerNoise(false)
                .onProblem(interceptions::ofConnection);
    }

    /**
     * Returns a transport to this proxy and the agent behind it, for a client in this program. It fails as that of the
     * agent does: reading throws the reason why the agent has ended.
     *
     * @param agent where the agent is; closed with the transport that is returned, before that is
     */
    public Transport before(Transport agent) {
        MemoryTransport.Pair pair = MemoryTransport.pair(QUEUE_BYTES);
        Limits small = limits.withQueueBytes(limits.laneBytes(), Math.min(limits.outboxBytes(), QUEUE_BYTES));
        return new ProxiedTransport(pair.left(), agent, join(pair.right(), agent, small));
    }

    /** Returns what stands behind one of the proxies that this one consists of. */
    Proxy behind(Part part) {
        List<Entry> rest = between(part, Method.Side.AGENT);
        List<SessionState<?>> kept = rest.stream()
                .flatMap(entry -> entry.states().stream())
                .distinct()
                .toList();
        return new Proxy(name, version, rest, kept, versions, onProblem, limits);
    }

    /**
     * Returns the interceptors between one of the proxies that this one consists of and a side, in the order in which
     * they see what goes there; none if it is not among them.
     */
    List<Entry> between(Part part, Method.Side side) {
        int first = entries.size();
        int last = entries.size() - 1;
        for (int i = entries.size() - 1; i >= 0; i--) {
            if (entries.get(i).part().equals(part)) {
                last = first == entries.size() ? i : last;
                first = i;
            }
        }
        if (first == entries.size()) {
            return List.of();
        }
        return side == Method.Side.AGENT
                ? entries.subList(last + 1, entries.size())
                : entries.subList(0, first).reversed();
    }

    Limits limits() {
        return limits;
    }

    List<Entry> entries() {
        return entries;
    }

    List<SessionState<?>> states() {
        return states;
    }

    /** Returns the versions that it knows; none when it takes any. */
    Set<Version> versions() {
        return versions;
    }

    Consumer<Problem> onProblem() {
        return onProblem;
    }

    /** Builds a proxy. */
    public static final class Builder {
        private final String name;
        private final String version;
        private final List<Entry> entries = new ArrayList<>();
        private final List<SessionState<?>> states = new ArrayList<>();
        private Set<Version> versions = Set.of();
        private Consumer<Problem> onProblem = Problems.LOG;
        private Limits limits = Limits.STANDARD;
        private Patience.Bounds patience = Patience.Bounds.STANDARD;
        private boolean filter;

        private Builder(String name, String version) {
            this.name = Objects.requireNonNull(name, "name is null");
            this.version = Objects.requireNonNull(version, "version is null");
        }

        /**
         * Intercepts requests of a method, on their way to the side that handles the method.
         *
         * @param method a method of the catalogues, or one of an extension
         * @throws IllegalArgumentException when it is a notification
         */
        public <P, R> Builder onRequest(Method<P, R> method, RequestInterceptor<P, R> interceptor) {
            if (method.isNotification()) {
                throw new IllegalArgumentException(method + " is a notification: use onNotification");
            }
            for (Method.Side to : Entry.sides(method)) {
                entries.add(Entry.request(to, method, interceptor));
            }
            return this;
        }

        /**
         * Intercepts notifications of a method, on their way to the side that handles the method.
         *
         * @throws IllegalArgumentException when it is a request
         */
        public <P> Builder onNotification(Method<P, Void> method, NotificationInterceptor<P> interceptor) {
            if (!method.isNotification()) {
                throw new IllegalArgumentException(method + " is a request: use onRequest");
            }
            for (Method.Side to : Entry.sides(method)) {
                entries.add(Entry.notification(to, method, interceptor));
            }
            return this;
        }

        /** Intercepts prompts of the client, in version 1, where the answer ends the turn, and in version 2. */
        public Builder onPrompt(RequestInterceptor<PromptRequest, ?> interceptor) {
            return onPrompt(AgentMethods.PROMPT, interceptor).onPrompt(AgentMethods.PROMPT_V2, interceptor);
        }

        @SuppressWarnings("unchecked") // It sees the result only as what its own hop gives.
        private <R> Builder onPrompt(
                Method<PromptRequest, R> method, RequestInterceptor<PromptRequest, ?> interceptor) {
            return onRequest(method, (RequestInterceptor<PromptRequest, R>) interceptor);
        }

        /**
         * Intercepts requests by the name of their method, with raw params and a raw result.
         *
         * @param to the side to which they go
         * @param methods says which
         */
        public Builder onRequests(
                Method.Side to, Predicate<String> methods, RequestInterceptor<RawJson, RawJson> interceptor) {
            entries.add(Entry.requests(to, methods, interceptor));
            return this;
        }

        /**
         * Intercepts notifications by the name of their method; see {@link #onRequests}.
         *
         * @param methods says which; asked once for each method
         */
        public Builder onNotifications(
                Method.Side to, Predicate<String> methods, NotificationInterceptor<RawJson> interceptor) {
            entries.add(Entry.notifications(to, methods, interceptor));
            return this;
        }

        /**
         * Shows each message that passes here to an observer, in either direction, answers included: a request as it
         * goes on from here, an answer as it comes back to here. What is not intercepted passes as fast as without an
         * observer, and none waits for it. Each connection has a queue of its own for it, of 1,024 messages and 8 MiB
         * at most. What has no room is not shown: it is counted, {@linkplain Observation#dropped said} with the next
         * message, and reported to {@link #onProblem}.
         *
         * <p>When the connection has ended, the observer still gets what waits in the queue.
         */
        public Builder observe(Observer observer) {
            entries.add(Entry.observer(observer));
            return this;
        }

        /**
         * Keeps something for each session: made when the session is opened, and gone when it is closed or deleted, and
         * at the end of the connection. {@link Hop#state} returns it.
         *
         * <p>Messages of a session that was not seen to be opened, such as one of a subagent, then pass this proxy
         * untouched. A {@linkplain #filter filter} sees them: what needs the state is refused or dropped.
         */
        public Builder state(SessionState<?> state) {
            states.add(state);
            return this;
        }

        /**
         * Sets the versions of the protocol that the proxy knows. A client that asks for another one is answered with
         * an error that names them, and so is one whose agent answers another one. Without this the proxy takes any
         * version, also one that this library does not know, and its interceptors see that as the newest one known.
         *
         * @throws IllegalArgumentException without a version
         */
        public Builder protocol(Version... known) {
            if (known.length == 0) {
                throw new IllegalArgumentException("expected a version of the protocol");
            }
            versions = Set.of(known);
            return this;
        }

        /**
         * Says that what this proxy does must not be left out: a notification whose interceptor fails is dropped, and
         * messages that cannot be decoded are refused or dropped. Interceptors also see messages of sessions that were
         * not seen to be opened, for which {@link Hop#state} throws. Without this they pass.
         */
        public Builder filter() {
            filter = true;
            return this;
        }

        /**
         * Sets how long an interceptor may take by itself, while its session waits: the time in which it forwards,
         * calls a method of a neighbour, or runs a prompt of its own does not count. By default one minute, and no end.
         *
         * @param report after this time it is reported to {@link #onProblem}, with its stack; zero for never
         * @param end after this time it is interrupted, and counts as one that has thrown: a request is refused, a
         *     notification goes on as it came, unless this is a {@linkplain #filter filter}; zero for never
         * @throws IllegalArgumentException when a time is negative
         */
        public Builder patience(Duration report, Duration end) {
            patience = new Patience.Bounds(report, end);
            return this;
        }

        /**
         * Takes what goes wrong and ends nothing: in this proxy, and on its connections. By default it is logged to
         * {@code dev.acp4j.proxy}, and in a chain a notice of the {@linkplain Conductor.Builder#onNotice conductor}.
         */
        public Builder onProblem(Consumer<Problem> listener) {
            onProblem = Objects.requireNonNull(listener);
            return this;
        }

        /**
         * Sets other bounds of connections than {@link Limits#STANDARD}. Of proxies that are {@linkplain Proxy#then
         * joined} those of the first count.
         */
        public Builder limits(Limits value) {
            limits = Objects.requireNonNull(value);
            return this;
        }

        /** Builds the proxy. */
        public Proxy build() {
            Part part = new Part(name, filter, states, patience, onProblem);
            List<Entry> all = entries.stream().map(entry -> entry.of(part)).toList();
            return new Proxy(name, version, all, states, versions, onProblem, limits);
        }
    }
}
