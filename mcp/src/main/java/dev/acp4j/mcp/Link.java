package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.AgentSession;
import dev.acp4j.Feature;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.Meta;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a server, of either era: with a handshake, as until 2025, or with version and capabilities in each
 * request, as since 2026. {@link #introduce} finds out which; nothing else depends on it.
 *
 * <p>The lock guards the calls that wait and the subscriptions; nothing is sent or called while it is held.
 */
final class Link implements Handler {
    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");
    static final String MODERN = "2026-07-28";
    static final String LEGACY = "2025-11-25";
    static final Set<String> LEGACY_VERSIONS = Set.of("2024-11-05", "2025-03-26", "2025-06-18", LEGACY);
    static final String PREFIX = "io.modelcontextprotocol/";

    static final int UNSUPPORTED_VERSION = -32022;
    static final int CAPABILITY_MISSING = -32021;
    static final int HEADER_MISMATCH = -32020;

    /** What servers that know no handshake answer to one. */
    private static final Set<Integer> REFUSALS =
            Set.of(UNSUPPORTED_VERSION, RpcError.METHOD_NOT_FOUND, RpcError.INVALID_PARAMS, RpcError.INVALID_REQUEST);

    private static final int MOST_PAGES = 100;
    private static final int MOST_ROUNDS = 8;

    /** What the subscription to changes of lists is kept by, which is no address. */
    private static final String ALL_LISTS = "";

    /** How long is waited for what other servers answer at once, and what can be done without. */
    private static final Duration SOON = Duration.ofSeconds(1);

    /** The shortest pause before a subscription is begun again. */
    private static final Duration AGAIN = Duration.ofSeconds(1);

    /** The lists of which a server may report changes. */
    static final List<String> LISTS = List.of("tools", "prompts", "resources");

    /** Takes what a server reports while it is connected. Called in the order of the wire. */
    interface Listener {
        /** The server says that a list has changed, one of {@link #LISTS}. */
        void changed(String list);

        /** The server says that a resource has changed: one that was subscribed to, or a part of it. */
        void updated(String uri);

        /** The server has sent a log message, which need not have been asked for. */
        void logged(Members message);

        /** The user has finished at a page that the server had them led to. */
        void completed(String elicitation);

        /** The server asks the user. Blocks until there is an answer, which is JSON of MCP. */
        RawJson asked(Members question) throws InterruptedException;
    }

    /** What a server may know of the session that it is connected for. */
    interface Home {
        /** Whether its client can be asked in this way. */
        boolean supports(Feature asking);

        List<Path> roots();

        /** The least level of the log messages that are asked for; null for none. */
        @Nullable
        String logLevel();

        static Home of(AgentSession session, @Nullable String logLevel) {
            return new Home() {
                @Override
                public boolean supports(Feature asking) {
                    return session.client().supports(asking);
                }

                @Override
                public List<Path> roots() {
                    return session.roots();
                }

                @Override
                public @Nullable String logLevel() {
                    return logLevel;
                }
            };
        }
    }

    /** Receives the progress of a call. */
    interface Progress {
        void reported(double done, @Nullable Double total, String message);
    }

    /** The server has not answered in time. */
    static final class Silence extends RpcError {
        private static final long serialVersionUID = 1;

        Silence(String method, Duration time) {
            super(INTERNAL_ERROR, "no answer to " + method + " within " + text(time));
        }

        private static String text(Duration time) {
            return time.toMillis() < 10_000 ? time.toMillis() + " ms" : time.toSeconds() + " s";
        }
    }

    private final Home home;
    private final Time time;
    private final Listener listener;
    private final Connection connection;
    private final @Nullable LaunchedProcess process;
    private final @Nullable HttpTransport http;
    private final AtomicLong tokens = new AtomicLong();

    /** Whether the server is reached over ACP, which demands the modern revision. */
    private boolean isBound;

    private volatile boolean modern;
    private volatile String version = "";
    private volatile Members capabilities = Members.NONE;
    private volatile Members info = Members.NONE;
    private volatile String instructions = "";

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Waiting> waiting = new HashMap<>();

    /** How many questions of a server with a handshake wait for the user, whose time is not that of the calls. */
    @GuardedBy("lock")
    private int questions;

    /** When the first of them came. */
    @GuardedBy("lock")
    private long askedAt;

    /** When the last of them came. */
    @GuardedBy("lock")
    private long lastAskedAt;

    /** Held while a resource is subscribed to, before the other lock: the next one for it waits for the answer. */
    private final ReentrantLock subscribing = new ReentrantLock();

    /** What is not subscribed to any more: for the thread that holds the lock, which may wait for the server. */
    private final Queue<String> unsubscribed = new ConcurrentLinkedQueue<>();

    /** How many there are of each resource. */
    @GuardedBy("subscribing")
    private final Map<String, Integer> subscribers = new HashMap<>();

    /** The subscriptions at a modern server: to resources, by their addresses, and to {@link #ALL_LISTS}. */
    @GuardedBy("lock")
    private final Map<String, OpenListen> subscriptions = new HashMap<>();

    @GuardedBy("lock")
    private boolean isEnding;

    /** The least level of log messages that a server with a handshake was asked for; below 0 for none. */
    @GuardedBy("lock")
    private int logged = -1;

    private Link(
            Home home,
            String name,
            Time time,
            Listener listener,
            Transport transport,
            @Nullable LaunchedProcess process,
            @Nullable HttpTransport http) {
        this.home = home;
        this.time = time;
        this.listener = listener;
        this.process = process;
        this.http = http;
        this.connection = Connection.builder(new McpCancellation(transport), this)
                .name("mcp-" + name)
                // Each call has its own limit.
                .limits(Limits.STANDARD.withRequestTimeout(Duration.ZERO))
                .time(time)
                .answerNoise(false)
                .onProblem(problem -> {
                    // Counted below, and shown when the server fails.
                })
                .start();
    }

    static Link over(LaunchedProcess process, Home home, String name, Time time, Listener listener) {
        return new Link(home, name, time, listener, process.transport(), process, null);
    }

    static Link over(AcpTransport acp, Home home, String name, Time time, Listener listener) {
        Link link = new Link(home, name, time, listener, acp, null, null);
        link.isBound = true;
        return link;
    }

    static Link over(HttpTransport http, Home home, String name, Time time, Listener listener) {
        return new Link(home, name, time, listener, http, null, http);
    }

    @Nullable
    LaunchedProcess process() {
        return process;
    }

    /** Returns the revision of MCP that is spoken. */
    String version() {
        return version;
    }

    Members info() {
        return info;
    }

    String instructions() {
        return instructions;
    }

    Members capabilities() {
        return capabilities;
    }

    boolean isOpen() {
        return connection.isOpen();
    }

    boolean offers(String capability) {
        return capabilities.has(capability);
    }

    /** Whether the server reports changes of one of {@link #LISTS}. */
    boolean reportsChanges(String list) {
        return capabilities.object(list).isTrue("listChanged");
    }

    /** Whether the server reports updates of resources. */
    boolean reportsUpdates() {
        return capabilities.object("resources").isTrue("subscribe");
    }

    /** Whether requests stand alone, so that the server asks by results instead of requests. */
    boolean isModern() {
        return modern;
    }

    void awaitClosed() throws InterruptedException {
        connection.awaitClosed();
    }

    @Nullable
    Throwable failure() {
        return connection.failure().orElse(null);
    }

    List<String> noise() {
        return connection.recentNoise();
    }

    void close() {
        ending();
        connection.close();
        if (process != null) {
            process.close();
        }
    }

    // ---- opening

    /**
     * Finds out which era the server is of, and greets it. Over HTTP a modern request comes first; on standard input
     * the handshake does, because servers of a common library exit at anything else.
     */
    void introduce(Duration limit) throws InterruptedException, IOException {
        long end = time.nanoTime() + limit.toNanos();
        if (isBound) {
            Members unused = discover(end);
        } else if (http == null) {
            try {
                greet(end);
            } catch (RpcError e) {
                if (!REFUSALS.contains(e.code())) {
                    throw e;
                }
                discoverAfter(e, end);
            }
        } else if (http.is2024() || !isModern(end)) {
            greet(end);
            http.listen();
        }
    }

    private void discoverAfter(RpcError refusal, long end) throws InterruptedException {
        try {
            Members unused = discover(end);
        } catch (RpcError e) {
            modern = false;
            throw e.code() == RpcError.METHOD_NOT_FOUND ? refusal : e;
        }
    }

    private boolean isModern(long end) throws InterruptedException {
        try {
            Members found = discoverAgain(end);
            if (found.has("supportedVersions") || found.has("resultType")) {
                return true;
            }
            // A server that answers whatever it is asked.
            speak("", false);
            return false;
        } catch (RpcError e) {
            Double known = Members.of(e.data().orElse(null)).number(HttpTransport.STATUS);
            int status = known == null ? 400 : known.intValue();
            boolean decides =
                    !(e instanceof Silence) && status >= 400 && status < 500 && status != 401 && status != 403;
            boolean isKnown =
                    e.code() == UNSUPPORTED_VERSION || e.code() == CAPABILITY_MISSING || e.code() == HEADER_MISMATCH;
            if (!decides || (isKnown && !supportsLegacy(e))) {
                throw e;
            }
            speak("", false);
            return false;
        }
    }

    /** Asks once more if the server refuses the version and names it as one that it supports. */
    private Members discoverAgain(long end) throws InterruptedException {
        try {
            return discover(end);
        } catch (RpcError e) {
            if (e.code() != UNSUPPORTED_VERSION || !supports(e, Set.of(MODERN))) {
                throw e;
            }
            return discover(end);
        }
    }

    /** Whether a server that refuses the modern version names one with a handshake instead. */
    private static boolean supportsLegacy(RpcError refusal) {
        return supports(refusal, LEGACY_VERSIONS);
    }

    private static boolean supports(RpcError refusal, Set<String> versions) {
        return Members.of(refusal.data().orElse(null)).list("supported").stream()
                .anyMatch(known -> versions.stream().anyMatch(version -> known.equals(RawJson.string(version))));
    }

    private Members discover(long end) throws InterruptedException {
        speak(MODERN, true);
        Members found = Members.of(request("server/discover", out -> {}, null, left(end), left(end)));
        capabilities = found.object("capabilities");
        Members said = found.object("_meta").object(PREFIX + "serverInfo");
        info = said.all().isEmpty() ? found.object("serverInfo") : said;
        instructions = found.text("instructions", "");
        return found;
    }

    private void greet(long end) throws InterruptedException, IOException {
        RawJson params = object(out -> {
            out.name("protocolVersion");
            out.string(LEGACY);
            out.name("capabilities");
            out.raw(clientCapabilities());
            out.name("clientInfo");
            out.raw(clientInfo());
        });
        Members answer = Members.of(once("initialize", token -> params, Map.of(), null, left(end), left(end)));
        String chosen = answer.text("protocolVersion", "");
        if (!LEGACY_VERSIONS.contains(chosen)) {
            throw new IOException("the server speaks version \"" + chosen
                    + "\" of MCP, which is not supported; supported are " + MODERN + " and " + LEGACY + " or older");
        }
        speak(chosen, false);
        capabilities = answer.object("capabilities");
        info = answer.object("serverInfo");
        instructions = answer.text("instructions", "");
        connection.send("notifications/initialized", null);
        String level = home.logLevel();
        if (level != null && offers("logging")) {
            RawJson wanted = object(out -> {
                out.name("level");
                out.string(level);
            });
            // A server that refuses sends what it likes, of which too little is discarded.
            Call unused = connection.start("logging/setLevel", wanted, RawJson.CODEC, null);
        }
    }

    /**
     * Asks a server with a handshake for log messages of this level from now on, unless it was asked for those and more
     * already: several clients may share it, and each takes of them what it wants. No request fails or waits long
     * because a server does not log.
     */
    void log(String level) throws InterruptedException {
        int least = RunningHandler.LEVELS.indexOf(level);
        if (modern || least < 0 || !offers("logging")) {
            return;
        }
        lock.lock();
        try {
            if (logged >= 0 && logged <= least) {
                return;
            }
            logged = least;
        } finally {
            lock.unlock();
        }
        try {
            RawJson unused = request(
                    "logging/setLevel",
                    out -> {
                        out.name("level");
                        out.string(level);
                    },
                    null,
                    SOON,
                    SOON);
        } catch (RpcError e) {
            LOG.log(
                    System.Logger.Level.INFO,
                    () -> info.text("name", "a server of MCP") + " logs nothing: error " + e.code());
        }
    }

    /**
     * Asks a modern server to report changes of its lists, as older ones do by themselves, and waits a moment until it
     * does, so that no change is missed by one that lists afterwards. When it begins to report later, everything counts
     * as changed.
     */
    void subscribe() throws InterruptedException {
        List<String> reported = LISTS.stream().filter(this::reportsChanges).toList();
        if (modern && !reported.isEmpty()) {
            RawJson params = listening(out -> {
                for (String list : reported) {
                    out.name(list + "ListChanged");
                    out.bool(true);
                }
            });
            // It stays open as long as the connection.
            boolean unused = begin(ALL_LISTS, params).isSettledWithin(SOON);
        }
    }

    /**
     * Asks the server to report updates of a resource, until {@link #unsubscribe} was called as often as this.
     *
     * @throws RpcError when the server refuses, or does not answer within {@code limit}
     */
    void subscribe(String uri, Duration limit) throws InterruptedException {
        if (!reportsUpdates()) {
            throw new RpcError(RpcError.METHOD_NOT_FOUND, "the server reports no updates of resources");
        }
        subscribing.lockInterruptibly();
        try {
            if (!subscribers.containsKey(uri)) {
                if (modern) {
                    listen(uri, limit);
                } else {
                    RawJson unused = request("resources/subscribe", named(uri), null, limit, limit);
                }
            }
            int unused = subscribers.merge(uri, 1, Integer::sum);
        } finally {
            subscribing.unlock();
            endUnsubscribed();
        }
    }

    /** Ends one {@link #subscribe(String, Duration)}, without waiting for the server or for another subscription. */
    void unsubscribe(String uri) {
        unsubscribed.add(uri);
        endUnsubscribed();
    }

    /** Ends what is not subscribed to any more, unless another thread subscribes: that one does it then. */
    private void endUnsubscribed() {
        while (!unsubscribed.isEmpty() && subscribing.tryLock()) {
            try {
                for (String uri = unsubscribed.poll(); uri != null; uri = unsubscribed.poll()) {
                    end(uri);
                }
            } finally {
                subscribing.unlock();
            }
        }
    }

    @GuardedBy("subscribing")
    private void end(String uri) {
        if (subscribers.computeIfPresent(uri, (of, count) -> count == 1 ? null : count - 1) != null) {
            return;
        }
        if (modern) {
            forget(uri);
        } else if (connection.isOpen()) {
            Call unused = connection
                    .prepare("resources/unsubscribe", object(named(uri)), RawJson.CODEC, null)
                    .send();
        }
    }

    private void listen(String uri, Duration limit) throws InterruptedException {
        RawJson params = listening(out -> {
            out.name("resourceSubscriptions");
            out.beginArray();
            out.string(uri);
            out.endArray();
        });
        boolean isBegun = false;
        try {
            begin(uri, params).await(uri, limit);
            isBegun = true;
        } finally {
            if (!isBegun) {
                forget(uri);
            }
        }
    }

    private OpenListen begin(String of, RawJson params) {
        OpenListen begun = new OpenListen(of, params);
        lock.lock();
        try {
            subscriptions.put(of, begun);
        } finally {
            lock.unlock();
        }
        begun.send();
        return begun;
    }

    private void forget(String uri) {
        OpenListen ended;
        lock.lock();
        try {
            ended = subscriptions.remove(uri);
        } finally {
            lock.unlock();
        }
        if (ended != null) {
            ended.abandon();
        }
    }

    /** No subscription is begun again. Not called by every end of a connection. */
    @Override
    public void ending() {
        lock.lock();
        try {
            isEnding = true;
            subscriptions.values().forEach(one -> one.changed.signalAll());
        } finally {
            lock.unlock();
        }
    }

    /** Whether an update of a resource is one of another, because it is that or a part of it. */
    static boolean isPart(String updated, String of) {
        return updated.equals(of) || updated.startsWith(of.endsWith("/") ? of : of + "/");
    }

    private static Consumer<JsonWriter> named(String uri) {
        return out -> {
            out.name("uri");
            out.string(uri);
        };
    }

    private RawJson listening(Consumer<JsonWriter> notifications) {
        return object(out -> {
            out.name("notifications");
            out.beginObject();
            notifications.accept(out);
            out.endObject();
            writeMeta(out, Meta.EMPTY, null);
        });
    }

    /**
     * A subscription at a modern server: a request that is open for as long as its reports are wanted. When it ends
     * although the server had taken it, such as because its stream broke, it is begun again after a pause; what it is
     * for may have changed meanwhile, and counts as changed.
     */
    private final class OpenListen implements Call.Listener {
        private final String of;
        private final RawJson params;
        private final Condition changed = lock.newCondition();
        private final Backoff backoff = new Backoff();

        @GuardedBy("lock")
        private @Nullable Call call;

        @GuardedBy("lock")
        private long sent;

        @GuardedBy("lock")
        private boolean isAcknowledged;

        @GuardedBy("lock")
        private boolean isRefused;

        /** Whether changes may have been missed before it is acknowledged. */
        @GuardedBy("lock")
        private boolean isLate;

        OpenListen(String of, RawJson params) {
            this.of = of;
            this.params = params;
        }

        void send() {
            Call next = connection.prepare("subscriptions/listen", params, RawJson.CODEC, this);
            lock.lock();
            try {
                call = next;
                sent = time.nanoTime();
            } finally {
                lock.unlock();
            }
            Call unused = next.send();
        }

        void abandon() {
            Call ended;
            lock.lock();
            try {
                ended = call;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            if (ended != null) {
                ended.abandon();
            }
        }

        @Override
        public Handler.@Nullable Delivery arrived(Call answered) {
            boolean isOpen = connection.isOpen();
            lock.lock();
            try {
                changed.signalAll();
                if (!isAcknowledged) {
                    isRefused = true;
                } else if (isOpen && isWanted()) {
                    long pause = backoff.next(AGAIN, time.nanoTime() - sent);
                    Thread.ofPlatform().daemon().name("acp4j-mcp-listen").start(() -> sendAfter(pause));
                }
            } finally {
                lock.unlock();
            }
            return null;
        }

        @GuardedBy("lock")
        private boolean isWanted() {
            return !isEnding && !isRefused && equals(subscriptions.get(of));
        }

        private void sendAfter(long pause) {
            long end = time.nanoTime() + pause;
            lock.lock();
            try {
                for (long left = pause; left > 0 && isWanted(); left = end - time.nanoTime()) {
                    time.await(lock, changed, left);
                }
                if (!isWanted()) {
                    return;
                }
                isLate = true;
            } catch (InterruptedException e) {
                return;
            } finally {
                lock.unlock();
            }
            try {
                send();
            } catch (ConnectionClosedException e) {
                // All subscriptions end with it.
            }
        }

        boolean isOf(RawJson id) {
            lock.lock();
            try {
                return call != null && call.id().json().equals(id);
            } finally {
                lock.unlock();
            }
        }

        /**
         * The server has answered that it reports.
         *
         * @param isTaken whether it reports what this is for
         */
        Handler.@Nullable Delivery acknowledged(boolean isTaken) {
            lock.lock();
            try {
                boolean hasMissed = isTaken && isLate;
                isLate = false;
                isAcknowledged |= isTaken;
                isRefused |= !isTaken;
                changed.signalAll();
                return hasMissed ? this::reportAll : null;
            } finally {
                lock.unlock();
            }
        }

        private void reportAll() {
            if (of.equals(ALL_LISTS)) {
                LISTS.stream().filter(Link.this::reportsChanges).forEach(listener::changed);
            } else {
                listener.updated(of);
            }
        }

        /** Waits until the server has taken or refused it; returns false if the time is over before. */
        boolean isSettledWithin(Duration limit) throws InterruptedException {
            long end = time.nanoTime() + limit.toNanos();
            lock.lock();
            try {
                while (!isAcknowledged && !isRefused) {
                    long left = end - time.nanoTime();
                    if (left <= 0) {
                        isLate = true;
                        return false;
                    }
                    time.await(lock, changed, left);
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        void await(String uri, Duration limit) throws InterruptedException {
            if (!isSettledWithin(limit)) {
                throw new Silence("subscriptions/listen", limit);
            }
            Call refused;
            lock.lock();
            try {
                if (isAcknowledged) {
                    return;
                }
                refused = Objects.requireNonNull(call);
            } finally {
                lock.unlock();
            }
            RawJson unused = refused.await(Duration.ZERO);
            throw new RpcError(RpcError.INTERNAL_ERROR, "the server does not report updates of " + uri);
        }
    }

    private void speak(String revision, boolean isModern) {
        version = revision;
        modern = isModern;
        if (http != null) {
            http.speak(revision, isModern);
        }
    }

    private Duration left(long end) {
        return Duration.ofNanos(Math.max(1, end - time.nanoTime()));
    }

    private RawJson clientCapabilities() {
        boolean forms = home.supports(Feature.FORMS);
        boolean pages = home.supports(Feature.PAGES);
        return object(out -> {
            out.name("roots");
            out.raw(RawJson.EMPTY_OBJECT);
            if (forms || pages) {
                out.name("elicitation");
                out.beginObject();
                if (forms) {
                    out.name("form");
                    out.raw(RawJson.EMPTY_OBJECT);
                }
                if (pages) {
                    out.name("url");
                    out.raw(RawJson.EMPTY_OBJECT);
                }
                out.endObject();
            }
        });
    }

    private static RawJson clientInfo() {
        return object(out -> {
            out.name("name");
            out.string("acp4j");
            out.name("version");
            out.string("0.1.0");
        });
    }

    // ---- asking the server

    /** Returns all elements of a list, page after page. */
    List<RawJson> list(String method, String member, Duration limit) throws InterruptedException {
        List<RawJson> all = new ArrayList<>();
        Set<String> cursors = new HashSet<>();
        String cursor = null;
        long end = time.nanoTime() + limit.toNanos();
        do {
            String from = cursor;
            Members page = Members.of(request(
                    method,
                    out -> {
                        if (from != null) {
                            out.name("cursor");
                            out.string(from);
                        }
                    },
                    null,
                    left(end),
                    left(end)));
            all.addAll(page.list(member));
            cursor = page.text("nextCursor");
            if (cursor != null && (!cursors.add(cursor) || cursors.size() >= MOST_PAGES)) {
                throw new RpcError(
                        RpcError.INTERNAL_ERROR,
                        method + ": the server repeats a page, or has more than " + MOST_PAGES + " of them");
            }
        } while (cursor != null);
        return all;
    }

    /**
     * Sends a request and waits for the result; the server's questions in between are answered. Interrupting the thread
     * cancels it at the server.
     *
     * @param members writes the members of the params
     * @param progress receives progress; null for none
     * @param patience how long the server may be silent
     * @param most how long it may take in all
     */
    RawJson request(
            String method, Consumer<JsonWriter> members, @Nullable Progress progress, Duration patience, Duration most)
            throws InterruptedException {
        return request(method, members, Meta.EMPTY, Map.of(), progress, patience, most);
    }

    /**
     * Sends a request; see above.
     *
     * @param trace the context of the trace that the request belongs to
     * @param headers more headers, for a server over HTTP
     */
    RawJson request(
            String method,
            Consumer<JsonWriter> members,
            Meta trace,
            Map<String, String> headers,
            @Nullable Progress progress,
            Duration patience,
            Duration most)
            throws InterruptedException {
        Consumer<JsonWriter> sent = members;
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Consumer<JsonWriter> asked = sent;
            RawJson raw = once(
                    method,
                    token -> object(out -> {
                        asked.accept(out);
                        writeMeta(out, trace, token);
                    }),
                    headers,
                    progress,
                    patience,
                    most);
            Members result = Members.of(raw);
            String type = modern ? result.text("resultType", "complete") : "complete";
            if (type.equals("complete")) {
                return raw;
            }
            if (!type.equals("input_required")) {
                throw new RpcError(
                        RpcError.INTERNAL_ERROR, "the server answered with a result of unknown type " + type);
            }
            Consumer<JsonWriter> answers = answers(result);
            sent = out -> {
                members.accept(out);
                answers.accept(out);
            };
        }
        throw new RpcError(RpcError.INTERNAL_ERROR, "the server asked more than " + MOST_ROUNDS + " times");
    }

    /** Answers what a server needs to know before it goes on. */
    private Consumer<JsonWriter> answers(Members result) throws InterruptedException {
        Map<String, RawJson> answers = new HashMap<>();
        for (var question : result.object("inputRequests").all().entrySet()) {
            Members asked = Members.of(question.getValue());
            answers.put(question.getKey(), answer(asked.text("method", ""), asked.object("params")));
        }
        RawJson state = result.raw("requestState");
        return out -> {
            out.name("inputResponses");
            out.beginObject();
            answers.forEach((key, answer) -> {
                out.name(key);
                out.raw(answer);
            });
            out.endObject();
            if (state != null) {
                out.name("requestState");
                out.raw(state);
            }
        };
    }

    /**
     * Passes on a request of another client, with what that says of itself, and returns what the server answers: also a
     * result that asks for input. Interrupting the thread cancels it at the server.
     */
    RawJson pass(
            String method,
            Members params,
            Map<String, String> headers,
            @Nullable Progress progress,
            Duration patience,
            Duration most)
            throws InterruptedException {
        Map<String, RawJson> meta = new LinkedHashMap<>(params.object("_meta").all());
        meta.keySet().removeIf(key -> key.equals("progressToken") || (!modern && key.startsWith(PREFIX)));
        return once(
                method,
                token -> {
                    if (token != null) {
                        meta.put("progressToken", RawJson.string(token));
                    }
                    return meta.isEmpty()
                            ? params.without("_meta").json()
                            : params.with("_meta", new Members(meta).json()).json();
                },
                headers,
                progress,
                patience,
                most);
    }

    /** @param params returns what is sent, with the token for progress if there is one */
    private RawJson once(
            String method,
            Function<@Nullable String, RawJson> params,
            Map<String, String> headers,
            @Nullable Progress progress,
            Duration patience,
            Duration most)
            throws InterruptedException {
        String token = "acp4j-" + tokens.incrementAndGet();
        RawJson sent = params.apply(progress == null ? null : token);
        Waiting wait = new Waiting(progress, patience, most);
        lock.lock();
        try {
            waiting.put(token, wait);
        } finally {
            lock.unlock();
        }
        try {
            Call call = connection.prepare(method, sent, RawJson.CODEC, wait);
            if (http != null && !headers.isEmpty()) {
                http.parameters(call.id(), headers);
            }
            Duration limit = patience.compareTo(most) < 0 ? patience : most;
            if (!connection.awaitRoom(Message.request(call.id(), method, sent), limit)) {
                throw new Silence(method, limit);
            }
            Call unused = call.send();
            return wait.await(call);
        } catch (RpcError e) {
            throw e.code() == CAPABILITY_MISSING ? new MissingCapabilityError(e) : e;
        } finally {
            lock.lock();
            try {
                waiting.remove(token);
            } finally {
                lock.unlock();
            }
        }
    }

    private void writeMeta(JsonWriter out, Meta trace, @Nullable String token) {
        if (!modern && token == null && trace.isEmpty()) {
            return;
        }
        out.name("_meta");
        out.beginObject();
        if (modern) {
            out.name(PREFIX + "protocolVersion");
            out.string(version);
            out.name(PREFIX + "clientCapabilities");
            out.raw(clientCapabilities());
            out.name(PREFIX + "clientInfo");
            out.raw(clientInfo());
            if (home.logLevel() != null) {
                out.name(PREFIX + "logLevel");
                out.string(home.logLevel());
            }
        }
        if (token != null) {
            out.name("progressToken");
            out.string(token);
        }
        for (Meta.Key<String> key : List.of(Meta.TRACEPARENT, Meta.TRACESTATE, Meta.BAGGAGE)) {
            trace.get(key).ifPresent(value -> {
                out.name(key.name());
                out.string(value);
            });
        }
        out.endObject();
    }

    /**
     * A call that waits. Its patience begins anew with each progress, and after each question to the user, which it
     * waits for as long as a call may take in all.
     */
    private final class Waiting implements Call.Listener {
        final @Nullable Progress progress;
        private final Duration patience;
        private final Duration most;
        private final Condition changed = lock.newCondition();

        @GuardedBy("lock")
        private boolean done;

        private final long begun = time.nanoTime();

        @GuardedBy("lock")
        private long heard = begun;

        /** For how long the user was waited for. */
        @GuardedBy("lock")
        private long paused;

        Waiting(@Nullable Progress progress, Duration patience, Duration most) {
            this.progress = progress;
            this.patience = patience;
            this.most = most;
        }

        void heard() {
            lock.lock();
            try {
                heard = time.nanoTime();
            } finally {
                lock.unlock();
            }
        }

        /** The user has answered all questions. */
        void goOn(long now) {
            lock.lock();
            try {
                long from = Math.max(askedAt, begun);
                long until = Math.min(now, lastAskedAt + most.toNanos());
                if (until > from) {
                    paused += until - from;
                    heard = Math.max(heard, until);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        @Override
        public Handler.@Nullable Delivery arrived(Call call) {
            lock.lock();
            try {
                done = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
            return null;
        }

        RawJson await(Call call) throws InterruptedException {
            try {
                if (!awaitDone()) {
                    call.abandon();
                    throw new Silence(call.method(), patience.compareTo(most) < 0 ? patience : most);
                }
            } catch (InterruptedException e) {
                call.abandon();
                throw e;
            }
            return call.await(Duration.ZERO);
        }

        private boolean awaitDone() throws InterruptedException {
            lock.lock();
            try {
                while (!done) {
                    long left = left(time.nanoTime());
                    if (left <= 0) {
                        return false;
                    }
                    time.await(lock, changed, left);
                }
                return true;
            } finally {
                lock.unlock();
            }
        }

        /** Returns how long it waits from now on if nothing comes; if the user is asked, before it looks again. */
        @GuardedBy("lock")
        private long left(long now) {
            long from = Math.max(askedAt, begun);
            long until = lastAskedAt + most.toNanos();
            boolean isPaused = questions > 0 && until > from;
            if (isPaused && now < until) {
                return until - now;
            }
            long end = begun + most.toNanos() + paused + (isPaused ? until - from : 0);
            long silent = isPaused ? Math.max(heard, until) : heard;
            return Math.min(end, silent + patience.toNanos()) - now;
        }
    }

    // ---- what the server asks and reports

    @Override
    public Handler.Acceptance request(IncomingRequest request) {
        Members params = Members.of(request.params());
        return () -> () -> answer(request.method(), params);
    }

    private RawJson answer(String method, Members params) throws InterruptedException {
        return switch (method) {
            case "ping" -> RawJson.EMPTY_OBJECT;
            case "roots/list" -> roots();
            case "elicitation/create" -> asked(params);
            default -> throw RpcError.methodNotFound(method);
        };
    }

    /**
     * Asks the user, who may take their time: meanwhile no call of the server is late, since which asks is not said. A
     * question that nobody answers is waited for as long as a call may take.
     */
    private RawJson asked(Members question) throws InterruptedException {
        lock.lock();
        try {
            lastAskedAt = time.nanoTime();
            askedAt = questions == 0 ? lastAskedAt : askedAt;
            questions++;
        } finally {
            lock.unlock();
        }
        try {
            return listener.asked(question);
        } finally {
            lock.lock();
            try {
                questions--;
                if (questions == 0) {
                    long now = time.nanoTime();
                    waiting.values().forEach(one -> one.goOn(now));
                }
            } finally {
                lock.unlock();
            }
        }
    }

    private RawJson roots() {
        return object(out -> {
            out.name("roots");
            out.beginArray();
            for (Path root : home.roots()) {
                out.beginObject();
                out.name("uri");
                out.string(root.toUri().toString());
                out.name("name");
                out.string(Objects.toString(root.getFileName(), root.toString()));
                out.endObject();
            }
            out.endArray();
        });
    }

    @Override
    public Handler.@Nullable Delivery notification(Message message) {
        String method = message.method();
        if (method.equals("notifications/progress")) {
            return progress(Members.of(message.params()));
        }
        if (method.startsWith("notifications/") && method.endsWith("/list_changed")) {
            String list = method.substring("notifications/".length(), method.length() - "/list_changed".length());
            return () -> listener.changed(list);
        }
        if (method.equals("notifications/resources/updated")) {
            String uri = Members.of(message.params()).text("uri");
            return uri == null ? null : () -> listener.updated(uri);
        }
        if (method.equals("notifications/subscriptions/acknowledged")) {
            return acknowledged(Members.of(message.params()));
        }
        if (method.equals("notifications/message")) {
            Members params = Members.of(message.params());
            return () -> listener.logged(params);
        }
        if (method.equals("notifications/elicitation/complete")) {
            String elicitation = Members.of(message.params()).text("elicitationId");
            return elicitation == null ? null : () -> listener.completed(elicitation);
        }
        return null;
    }

    private Handler.@Nullable Delivery acknowledged(Members params) {
        RawJson id = params.object("_meta").raw(PREFIX + "subscriptionId");
        boolean hasResources =
                !params.object("notifications").list("resourceSubscriptions").isEmpty();
        List<OpenListen> open;
        lock.lock();
        try {
            open = List.copyOf(subscriptions.values());
        } finally {
            lock.unlock();
        }
        for (OpenListen one : open) {
            if (id != null && one.isOf(id)) {
                return one.acknowledged(hasResources || one.of.equals(ALL_LISTS));
            }
        }
        return null;
    }

    private Handler.@Nullable Delivery progress(Members params) {
        Waiting call;
        lock.lock();
        try {
            call = waiting.get(params.text("progressToken", ""));
        } finally {
            lock.unlock();
        }
        Double done = params.number("progress");
        if (call == null || done == null) {
            return null;
        }
        call.heard();
        Progress progress = call.progress;
        return progress == null
                ? null
                : () -> progress.reported(done, params.number("total"), params.text("message", ""));
    }

    // ---- JSON

    static RawJson array(List<RawJson> elements) {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        elements.forEach(out::raw);
        out.endArray();
        return out.toRawJson();
    }

    static RawJson object(Consumer<JsonWriter> members) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        members.accept(out);
        out.endObject();
        return out.toRawJson();
    }
}
