package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.clock.Clock;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server: which there are and may be, what is due for them, and their end.
 *
 * <p>The lock guards which connections there are. It is taken before the locks of connections.
 */
final class Connections implements SocketSession.Home {
    private static final Duration TOMBSTONE = Duration.ofSeconds(60);
    private static final String RETRY_SECONDS = "5";

    /** What is kept is looked at once a second, and at once when it is more than it may be by such a part. */
    private static final int KEPT_BEYOND = 8;

    /** So many of the largest messages of one principal may be read at once. */
    private static final int MESSAGES = 4;

    private final HttpServer configuration;
    private final Consumer<? super RemoteClient> agents;
    private final Time time;
    private final SecureRandom random;
    private final Rates requests;
    private final Rates bytes;
    private final BodyBudget bodies;
    private final MemoryBudget memory;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** Held while dropping what is kept too much; taken before the other lock. */
    private final ReentrantLock trimming = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, RemoteConnection> connections = new HashMap<>();

    /** Connections that have ended, and whose readers are still being written something. */
    @GuardedBy("lock")
    private final Set<RemoteConnection> departing = new LinkedHashSet<>();

    /** Connections whose first answer was an error, until when their end is a success. */
    @GuardedBy("lock")
    private final Map<String, Long> failed = new LinkedHashMap<>();

    /** How many agents have not closed their transport yet. */
    @GuardedBy("lock")
    private int running;

    private final Set<SocketSession> sockets = ConcurrentHashMap.newKeySet();
    private final ConnectionStore inMemory = new MemoryStore(this::newLog);
    private volatile @Nullable FileStore store;
    private volatile boolean draining;

    /** What was reported last. Of the thread of the clock. */
    private ServerEvent.BytesHeld held = new ServerEvent.BytesHeld(0, 0, 0);

    Connections(HttpServer configuration, Consumer<? super RemoteClient> agents, SecureRandom random) {
        this.configuration = configuration;
        this.agents = agents;
        this.time = configuration.time();
        this.random = random;
        this.requests = new Rates(configuration.limits().requestsPerMinute(), time);
        this.bytes = new Rates(60 * configuration.limits().bytesPerSecond(), time);
        long kept = configuration.limits().retainedBytesInAll();
        this.memory = new MemoryBudget(configuration.limits().queuedBytesInAll(), kept + kept / KEPT_BEYOND);
        this.bodies = new BodyBudget(MESSAGES * (long) configuration.limits().messageBytes());
    }

    @Override
    public ServerLimits limits() {
        return configuration.limits();
    }

    @Override
    public MemoryBudget memory() {
        return memory;
    }

    @Override
    public boolean isDurable() {
        return configuration.isDurable();
    }

    @Override
    public Time time() {
        return time;
    }

    @Override
    public BodyBudget bodies() {
        return bodies;
    }

    @Override
    public ConnectionStore keep(String id, Principal principal) {
        FileStore kept = store;
        return kept == null ? inMemory : kept.create(id, principal);
    }

    private MemoryLog newLog() {
        ServerLimits limits = limits();
        MemoryLog.Retention retention = isDurable()
                ? new MemoryLog.Retention(limits.retainedBytes(), limits.retainedMessages(), limits.retention())
                : MemoryLog.Retention.NONE;
        return new MemoryLog(retention, time, random);
    }

    /**
     * Takes the store, if there is one, and the connections that an earlier process has left in it.
     *
     * @throws IOException when it cannot be used
     */
    void restore() throws IOException {
        StreamStore configured = configuration.store();
        if (configured == null) {
            return;
        }
        FileStore opened = FileStore.open(
                configured, this::newLog, problem -> configuration.tell(new ServerEvent.StoreFailed(problem)), time);
        store = opened;
        for (FileConnection kept : opened.restore()) {
            RemoteConnection restored = RemoteConnection.restored(kept, this);
            lock.lock();
            try {
                connections.put(kept.id(), restored);
            } finally {
                lock.unlock();
            }
        }
    }

    /** Gives the store back; to be called last. */
    void close() {
        FileStore open = store;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public boolean isDraining() {
        return draining;
    }

    @Override
    public long secondsUntilNext(Principal principal, Message message) {
        if (message.kind() != Message.Kind.REQUEST) {
            bytes.charge(principal, message.length());
            return 0;
        }
        long seconds = bytes.take(principal, message.length());
        return seconds > 0 ? seconds : requests.take(principal, 1);
    }

    // Which there are, and may be.

    /** Connections of others look like those that never were. */
    RemoteConnection find(String id, Principal principal) {
        lock.lock();
        try {
            RemoteConnection connection = connections.get(id);
            if (connection == null || !isOf(connection, principal)) {
                throw unknownConnection();
            }
            return connection;
        } finally {
            lock.unlock();
        }
    }

    /** The name says who it is: groups may be others when a token is renewed. */
    private static boolean isOf(RemoteConnection connection, Principal principal) {
        return connection.principal().name().equals(principal.name());
    }

    static Refusal unknownConnection() {
        return new Refusal(404, "connection_unknown", "there is no such connection: begin with initialize");
    }

    String newId() {
        byte[] bytes = new byte[24];
        random.nextBytes(bytes);
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** Returns the refusal of what is not begun any more. */
    static Answer draining() {
        return Answer.refusal(503, Wire.DRAINING, "the server is about to stop").with("Retry-After", RETRY_SECONDS);
    }

    /**
     * Returns the refusal of a further WebSocket; null when it may be opened. Those that have not said yet what they
     * want count like connections.
     */
    @Nullable
    Answer fullForSocket(Principal principal, boolean isNew) {
        int unopened = 0;
        int ofPrincipal = 0;
        for (SocketSession socket : sockets) {
            if (socket.isUnopened()) {
                unopened++;
                ofPrincipal += socket.isOf(principal) ? 1 : 0;
            }
        }
        if (unopened + (isNew ? count(null) : 0) >= limits().connections()) {
            return full(true, principal);
        }
        return ofPrincipal + (isNew ? count(principal) : 0) >= limits().connectionsOfPrincipal()
                ? full(false, principal)
                : null;
    }

    /** Returns whether there is no room for a further connection of anybody. */
    boolean isFull() {
        return count(null) >= limits().connections();
    }

    /** Returns the refusal of a further connection when there was room for none. */
    Answer full(Principal principal) {
        return full(isFull(), principal);
    }

    private static Answer full(boolean inAll, Principal principal) {
        return Answer.refusal(
                        inAll ? 503 : 429,
                        "too_many_connections",
                        inAll
                                ? "the server has as many connections as it may have"
                                : principal.name() + " has as many connections as one may have")
                .with("Retry-After", RETRY_SECONDS);
    }

    @Override
    public @Nullable RemoteConnection connect(String id, Principal principal) {
        RemoteConnection made;
        lock.lock();
        try {
            if (count(null) >= limits().connections() || count(principal) >= limits().connectionsOfPrincipal()) {
                return null;
            }
            made = new RemoteConnection(id, principal, this);
            connections.put(id, made);
            running++;
        } finally {
            lock.unlock();
        }
        configuration.tell(new ServerEvent.ConnectionOpened(principal, made.name()));
        try {
            agents.accept(made);
        } catch (UnavailableException e) {
            made.end(e.reason());
            made.close();
            throw e;
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.ERROR, "no agent could be started", e);
            // The client hears that the agent has ended before its first answer.
            made.close();
        }
        return made;
    }

    /** Returns how many connections have an agent, of a principal or in all. */
    private int count(@Nullable Principal principal) {
        lock.lock();
        try {
            int count = 0;
            for (RemoteConnection connection : connections.values()) {
                boolean counts = !connection.isRestored() && (principal == null || isOf(connection, principal));
                count += counts ? 1 : 0;
            }
            return count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(RemoteConnection connection, String reason) {
        if (connection.state() == RemoteConnection.State.GONE) {
            lock.lock();
            try {
                if (connections.remove(connection.id(), connection)) {
                    departing.add(connection);
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
        if (connection.state() == RemoteConnection.State.GONE && connection.isQuiet()) {
            connection.uncount();
            memory.wake();
        }
        if (!reason.isEmpty()) {
            configuration.tell(
                    new ServerEvent.ConnectionEnded(connection.principal(), ServerEvent.hash(connection.id()), reason));
        }
    }

    @Override
    public void released(RemoteConnection connection) {
        lock.lock();
        try {
            running--;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void streamOpened(RemoteConnection connection, boolean resumes) {
        configuration.tell(new ServerEvent.StreamOpened(ServerEvent.hash(connection.id()), resumes));
    }

    @Override
    public void streamClosed(RemoteConnection connection) {
        configuration.tell(new ServerEvent.StreamClosed(ServerEvent.hash(connection.id())));
    }

    @Override
    public void progressed() {
        memory.wake();
        if (memory.keepsTooMuch() && trimming.tryLock()) {
            try {
                trim(all());
            } finally {
                trimming.unlock();
            }
        }
        if (draining) {
            lock.lock();
            try {
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }

    @Override
    public void abandon(String id) {
        RemoteConnection connection;
        lock.lock();
        try {
            connection = connections.get(id);
        } finally {
            lock.unlock();
        }
        if (connection != null) {
            connection.end("the client has left");
        }
    }

    void bury(String id) {
        lock.lock();
        try {
            failed.put(id, time.nanoTime() + TOMBSTONE.toNanos());
        } finally {
            lock.unlock();
        }
    }

    boolean isBuried(String id) {
        lock.lock();
        try {
            return failed.containsKey(id);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void opened(SocketSession session) {
        sockets.add(session);
    }

    @Override
    public void closed(SocketSession session) {
        sockets.remove(session);
        progressed();
    }

    // Time.

    /** Looks at the clock; to be called about once a second. */
    void tick() {
        List<RemoteConnection> over;
        lock.lock();
        try {
            long now = time.nanoTime();
            failed.values().removeIf(until -> now - until >= 0);
            over = departing.stream().filter(RemoteConnection::isQuiet).toList();
            over.forEach(departing::remove);
        } finally {
            lock.unlock();
        }
        over.forEach(RemoteConnection::uncount);
        List<RemoteConnection> all = all();
        all.forEach(connection -> Clock.attempt(connection::tick));
        sockets.forEach(socket -> Clock.attempt(socket::tick));
        Clock.attempt(requests::tick);
        Clock.attempt(bytes::tick);
        Clock.attempt(() -> {
            trimming.lock();
            try {
                trim(all);
            } finally {
                trimming.unlock();
            }
            report(all);
        });
        memory.wake();
    }

    private List<RemoteConnection> all() {
        lock.lock();
        try {
            List<RemoteConnection> all = new ArrayList<>(connections.values());
            all.addAll(departing);
            return all;
        } finally {
            lock.unlock();
        }
    }

    private void report(List<RemoteConnection> all) {
        int slowed = (int) all.stream().filter(RemoteConnection::isSlowed).count();
        ServerEvent.BytesHeld now = new ServerEvent.BytesHeld(memory.queued(), memory.kept(), slowed);
        if (!now.equals(held)) {
            held = now;
            configuration.tell(now);
        }
    }

    /** Keeps what all streams keep within its bounds, of each principal and in all. */
    private void trim(List<RemoteConnection> all) {
        List<StreamLog> logs = new ArrayList<>();
        Map<Principal, List<StreamLog>> ofPrincipals = new HashMap<>();
        for (RemoteConnection connection : all) {
            List<StreamLog> own = ofPrincipals.computeIfAbsent(connection.principal(), principal -> new ArrayList<>());
            connection.streams().forEach(stream -> own.add(stream.log));
        }
        for (List<StreamLog> own : ofPrincipals.values()) {
            trim(own, limits().retainedBytesOfPrincipal());
            logs.addAll(own);
        }
        trim(logs, limits().retainedBytesInAll());
        all.forEach(RemoteConnection::count);
    }

    private static long kept(List<StreamLog> logs) {
        return logs.stream().mapToLong(StreamLog::keptBytes).sum();
    }

    /** What was sent first goes first, of whichever stream it is. */
    private void trim(List<StreamLog> logs, long limit) {
        long kept = kept(logs);
        if (kept <= limit) {
            return;
        }
        long now = time.nanoTime();
        PriorityQueue<Aged> byAge = new PriorityQueue<>(Comparator.comparingLong(Aged::age)
                .thenComparingLong(Aged::kept)
                .reversed());
        logs.forEach(log -> add(byAge, log, now));
        for (Aged oldest = byAge.poll(); oldest != null && kept > limit; oldest = byAge.poll()) {
            long before = oldest.log.keptBytes();
            oldest.log.dropOldest();
            kept -= before - oldest.log.keptBytes();
            add(byAge, oldest.log, now);
        }
    }

    /** A log, for how long it has kept the oldest frame that was sent, and how much it keeps. */
    private record Aged(StreamLog log, long age, long kept) {}

    private static void add(PriorityQueue<Aged> byAge, StreamLog log, long now) {
        Long since = log.oldest();
        if (since != null) {
            byAge.add(new Aged(log, now - since, log.keptBytes()));
        }
    }

    // The end.

    /** Accepts no more connections and no more requests. */
    void drain() {
        draining = true;
        configuration.tell(new ServerEvent.Draining());
    }

    /** Waits until no turn runs, and who reads has got everything. Returns false when the time is over. */
    boolean awaitIdle(long nanos) throws InterruptedException {
        return await(nanos, this::isIdle);
    }

    /** Ends all connections; what there is for clients that read is still written. */
    void stop() {
        List<RemoteConnection> all;
        lock.lock();
        try {
            all = new ArrayList<>(connections.values());
        } finally {
            lock.unlock();
        }
        for (RemoteConnection connection : all) {
            connection.stop("the server stops");
        }
        for (SocketSession socket : sockets) {
            socket.finish(SocketCodes.GOING_AWAY, "the server stops");
        }
    }

    /** Waits until all agents have ended, and everything is written. Returns false when the time is over. */
    boolean awaitEnd(long nanos) throws InterruptedException {
        return await(nanos, this::isOver);
    }

    /** Writes nothing more. */
    void cut() {
        List<RemoteConnection> all;
        lock.lock();
        try {
            all = new ArrayList<>(departing);
        } finally {
            lock.unlock();
        }
        all.forEach(RemoteConnection::cut);
        for (SocketSession socket : sockets) {
            socket.close(SocketCodes.GOING_AWAY, "the server stops");
        }
    }

    private boolean isIdle() {
        lock.lock();
        try {
            return connections.values().stream().noneMatch(RemoteConnection::isBusy);
        } finally {
            lock.unlock();
        }
    }

    private boolean isOver() {
        lock.lock();
        try {
            return running == 0 && sockets.isEmpty() && departing.stream().allMatch(RemoteConnection::isQuiet);
        } finally {
            lock.unlock();
        }
    }

    private boolean await(long nanos, BooleanSupplier condition) throws InterruptedException {
        long deadline = time.nanoTime() + nanos;
        lock.lockInterruptibly();
        try {
            while (!condition.getAsBoolean()) {
                long left = deadline - time.nanoTime();
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
}
