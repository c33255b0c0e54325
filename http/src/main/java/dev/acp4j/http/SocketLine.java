package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.io.IOException;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A connection over WebSocket, or over lines that are used like one: each message is a text frame, in both directions.
 * When the socket is cut and the server can resume, another one goes on behind the last message that arrived; what the
 * server did not take before is sent again, by count.
 *
 * <p>One virtual thread sends, as long as the line lasts. Frames are received on threads of the JDK's client, one after
 * another: the next is asked for when there is room for it.
 *
 * <p>The lock guards what waits, what was sent, and the socket. Nothing is sent, called or waited for while it is held.
 */
final class SocketLine implements Line, ClientSocket.Owner {
    /** Statuses that mean: no WebSocket. */
    private static final Set<Integer> UNSUPPORTED = Set.of(200, 202, 400, 404, 405, 406, 426, 501);

    private static final Duration PING_INTERVAL = Duration.ofSeconds(15);

    /**
     * The JDK's client does not notice that the server is gone if that happens while it hands over a frame. What is
     * then written fails, the second or the third time; so something is written when a burst of messages is over.
     */
    private static final int PROBES = 3;

    private static final Duration PROBE_INTERVAL = Duration.ofMillis(500);
    private static final int RECENT = 256;

    private static final Duration SHORTEST_FAREWELL = Duration.ofMillis(500);

    /** Longer than our server keeps the stream of a session that is closed. */
    private static final Duration CLOSED_TIME = Duration.ofMinutes(5);

    private static final String RESUME_ID = "acp4j-resume";

    private final RemoteAgent.Settings settings;
    private final Owner owner;
    private final Requests requests;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final SocketOutbox outbox = new SocketOutbox();

    /** The position in each stream; the empty name is that of the connection. */
    @GuardedBy("lock")
    private final Map<String, String> cursors = new LinkedHashMap<>();

    /**
     * The sessions that have been closed, and when. Without their positions the server would send all of them again.
     */
    @GuardedBy("lock")
    private final Map<String, Long> closed = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final ArrayDeque<String> recent = new ArrayDeque<>();

    /** Requests without an answer. */
    @GuardedBy("lock")
    private final Map<RequestId, Message> asked = new HashMap<>();

    @GuardedBy("lock")
    private @Nullable ClientSocket socket;

    /** The socket that is being made, and is to take its place. */
    @GuardedBy("lock")
    private @Nullable ClientSocket coming;

    /**
     * The socket whose messages count: the last one whose server was told, or is about to be told, where the streams
     * are.
     */
    @GuardedBy("lock")
    private @Nullable ClientSocket listening;

    @GuardedBy("lock")
    private final Patience patience;

    @GuardedBy("lock")
    private long openSince;

    @GuardedBy("lock")
    private long heard;

    /** How often the socket is still probed, and when that, or a message, was last. */
    @GuardedBy("lock")
    private int probes;

    @GuardedBy("lock")
    private long probed;

    @GuardedBy("lock")
    private boolean over;

    @GuardedBy("lock")
    private boolean finishing;

    @GuardedBy("lock")
    private boolean isSending;

    private volatile long farewellSince;
    private volatile Resumption resumption = Resumption.NONE;
    private final CompletableFuture<Message> initialized = new CompletableFuture<>();
    private volatile @Nullable RequestId initializeId;
    private volatile @Nullable String connectionId;

    SocketLine(RemoteAgent.Settings settings, Owner owner) {
        this.settings = settings;
        this.owner = owner;
        this.requests = new Requests(settings);
        this.patience = new Patience(settings);
    }

    /** Returns whether a failure only says that the server has no WebSocket. */
    static boolean isUnsupported(HttpFailure failure) {
        return UNSUPPORTED.contains(failure.status());
    }

    // ---- the beginning

    @Override
    public Message initialize(Message request) throws HttpFailure, InterruptedException {
        initializeId = request.id();
        ClientSocket first = newSocket();
        lock.lock();
        try {
            socket = first;
            listening = first;
            coming = null;
        } finally {
            lock.unlock();
        }
        first.connect("", true);
        connectionId = first.connectionId();
        Message answer;
        try {
            first.send(request);
            answer = initialized.get(ANSWER_TIME.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            throw requests.failure(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "no answer to initialize: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new HttpFailure(
                    HttpFailure.Kind.FINAL,
                    settings.endpoint + " did not answer initialize within " + ANSWER_TIME.toSeconds() + " s",
                    e);
        }
        if (!answer.isError()) {
            lock.lock();
            try {
                // What the server counts begins behind initialize.
                heard = settings.time.nanoTime();
                openSince = heard;
            } finally {
                lock.unlock();
            }
            start("acp4j-http-send", this::run);
            start("acp4j-http-watch", this::watch);
        }
        return answer;
    }

    /** Returns a socket that is not connected yet, and is cut when the line is closed. */
    private ClientSocket newSocket() throws HttpFailure {
        ClientSocket made = settings.line == null
                ? new HttpSocket(settings, requests, this)
                : new TransportSocket(settings, settings.line, this);
        boolean isWanted;
        lock.lock();
        try {
            isWanted = !over;
            coming = made;
        } finally {
            lock.unlock();
        }
        if (!isWanted) {
            made.cut();
            throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
        }
        return made;
    }

    /** Starts a thread of the line, which is lost if the thread fails. */
    private void start(String name, Runnable body) {
        HttpThreads.start(name, body, this::lose);
    }

    // ---- receiving

    @Override
    public void hears(boolean isMessage) {
        lock.lock();
        try {
            heard = settings.time.nanoTime();
            if (isMessage) {
                boolean wakes = probes == 0;
                probes = PROBES;
                probed = heard;
                if (wakes) {
                    changed.signalAll();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void problem(String detail, Throwable cause) {
        owner.problem(detail, cause);
    }

    @Override
    public void received(ClientSocket from, Message message, Runnable next) {
        RequestId id = message.id();
        if (message.kind().isResponse() && id != null) {
            if (!initialized.isDone() && id.equals(initializeId)) {
                // Known before anything else arrives, or the socket is cut.
                resumption =
                        message.isError() || connectionId == null ? Resumption.NONE : Resumption.of(message.result());
                boolean unused = initialized.complete(message);
                next.run();
                return;
            }
            if (id.isString() && id.value().equals(RESUME_ID)) {
                boolean unused = from.resumed().complete(message);
                next.run();
                return;
            }
        }
        if (message.kind() == Message.Kind.NOTIFICATION && message.method().equals(Wire.RESUME_FAILED)) {
            resumeFailed(from, message);
            next.run();
            return;
        }
        Message call;
        lock.lock();
        try {
            if (listening != from) {
                // What it still hands over comes once more on the socket that has taken its place.
                return;
            }
            patience.arrived();
            call = message.kind().isResponse() && id != null ? asked.remove(id) : null;
            // An answer that comes once more does not say of which stream it is.
            if (call != null || !message.kind().isResponse()) {
                passes(message, call == null ? message.session() : streamOf(call));
            }
        } finally {
            lock.unlock();
        }
        // One socket has one order, so no answer can come before the replay that it stands behind.
        owner.arrived(message, call == null ? message.session() : call.session(), next);
    }

    /** Returns the stream that the answer to a request belongs to: that of an opening to that of the connection. */
    private static String streamOf(Message call) {
        return Routes.replays(call.method()) ? "" : call.session();
    }

    private void resumeFailed(ClientSocket from, Message message) {
        String session = Raw.text(message.params(), "sessionId");
        String reason = Raw.text(message.params(), "reason");
        lock.lock();
        try {
            if (forgetClosed(session)) {
                return;
            }
        } finally {
            lock.unlock();
        }
        if (beginsAnew(session, reason)) {
            return;
        }
        HttpFailure why = new HttpFailure(
                HttpFailure.Kind.GONE,
                "the server does not continue the stream of "
                        + (session.isEmpty() ? "the connection" : "session " + session) + ": " + reason,
                null);
        boolean unused = from.resumed().completeExceptionally(why);
        lose(why);
    }

    /**
     * Returns whether a stream that the server does not continue behind a position has begun anew with what is missing.
     * Without that position it goes on at its beginning, on this socket and on a later one.
     */
    private boolean beginsAnew(String session, String reason) {
        if (!reason.equals(Wire.CURSOR_UNKNOWN)
                || resumption.beginning().isEmpty()
                || !owner.awaitsOnlyHistory(session)) {
            return false;
        }
        lock.lock();
        try {
            cursors.remove(session);
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Forgets where the stream of a closed session was. Returns whether it was one. */
    @GuardedBy("lock")
    private boolean forgetClosed(String session) {
        boolean wasClosed = closed.remove(session) != null;
        if (wasClosed) {
            cursors.remove(session);
        }
        return wasClosed;
    }

    @GuardedBy("lock")
    private void passes(Message message, String stream) {
        if (!resumption.isOffered()) {
            return;
        }
        RawJson body = message.kind().isResponse() ? message.result() : message.params();
        String cursor = Raw.text(body, "_meta", Wire.CURSOR);
        if (cursor.isEmpty()) {
            return;
        }
        cursors.put(stream, cursor);
        recent.add(cursor);
        if (recent.size() > RECENT) {
            String unused = recent.poll();
        }
    }

    @Override
    public void confirmed(long count) {
        lock.lock();
        try {
            outbox.confirm(count);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- sending

    @Override
    public boolean send(Message message) {
        lock.lock();
        try {
            if (over) {
                return true;
            }
            changed.signalAll();
            return outbox.add(message);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public List<Message> untaken() {
        lock.lock();
        try {
            return outbox.untaken();
        } finally {
            lock.unlock();
        }
    }

    /** Sends messages and pings, one after another, so that a ping has the count of what was sent before it. */
    private void run() {
        try {
            while (true) {
                Message next;
                ClientSocket to;
                long count;
                lock.lock();
                try {
                    while (!over && (socket == null || !outbox.maySend())) {
                        changed.await();
                    }
                    to = socket;
                    if (over || to == null) {
                        return;
                    }
                    count = outbox.sent();
                    next = outbox.take(resumption.isOffered());
                    if (next != null && next.kind() == Message.Kind.REQUEST && next.id() != null) {
                        asked.put(next.id(), next);
                        if (Routes.replays(next.method())) {
                            boolean unused = forgetClosed(next.session());
                        }
                    }
                    isSending = true;
                } finally {
                    lock.unlock();
                }
                if (next == null) {
                    ping(to, count);
                } else {
                    send(to, next);
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void send(ClientSocket to, Message message) throws InterruptedException {
        try {
            to.send(message);
        } catch (IOException e) {
            HttpFailure why = requests.failure(e);
            if (!resumption.isOffered()) {
                owner.undelivered(message, why);
            }
            closed(to, 1006, why);
        } finally {
            sentLast();
        }
    }

    private void sentLast() {
        lock.lock();
        try {
            isSending = false;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- cuts

    /**
     * A socket has ended; another one takes its place if the server can go on, and there is something to go on with.
     */
    @Override
    public void closed(ClientSocket which, int code, HttpFailure why) {
        boolean unused = initialized.completeExceptionally(why);
        boolean ends;
        boolean resumes;
        lock.lock();
        try {
            if (socket != which || over) {
                return;
            }
            boolean isBegun = initialized.isDone() && !initialized.isCompletedExceptionally();
            ends = finishing || (isBegun && isGoodbye(code));
            resumes = !ends && isBegun && resumption.isOffered() && why.kind() == HttpFailure.Kind.UNKNOWN;
            socket = null;
            outbox.cut();
            patience.ends(openSince);
            patience.begins(resumption);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        which.cut();
        if (ends) {
            // Not on this thread, which is one of the JDK's.
            start("acp4j-http-farewell", this::end);
        } else if (resumes) {
            start("acp4j-http-resume", () -> resume(why));
        } else {
            lose(why);
        }
    }

    /** A server that stops is no failure to a client that wants no other connection. */
    private boolean isGoodbye(int code) {
        return code == WebSocket.NORMAL_CLOSURE || (code == SocketCodes.GOING_AWAY && !settings.recovers);
    }

    private void resume(HttpFailure first) {
        owner.isDown(true);
        HttpFailure last = first;
        try {
            while (pause(last.retryNanos())) {
                try {
                    resumeOnce();
                    owner.isDown(false);
                    return;
                } catch (HttpFailure e) {
                    last = e;
                    if (e.kind() == HttpFailure.Kind.FINAL || e.kind() == HttpFailure.Kind.GONE) {
                        break;
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        lose(last.kind() == HttpFailure.Kind.FINAL ? last : last.as(HttpFailure.Kind.GONE));
    }

    private void resumeOnce() throws HttpFailure, InterruptedException {
        ClientSocket next = newSocket();
        boolean isResumed = false;
        try {
            resume(next);
            isResumed = true;
        } finally {
            if (!isResumed) {
                next.cut();
            }
        }
    }

    private void resume(ClientSocket next) throws HttpFailure, InterruptedException {
        String id = String.valueOf(connectionId);
        next.connect(id, true);
        try {
            next.send(Message.request(RequestId.of(RESUME_ID), Wire.RESUME, resumeParams(id, next)));
            Message answer = awaitResumed(next);
            if (answer.isError()) {
                throw new HttpFailure(
                        HttpFailure.Kind.GONE, "the server does not resume the connection: " + answer.error(), null);
            }
            goOn(next, Raw.number(answer.result(), 0, "received"));
        } catch (IOException e) {
            throw requests.failure(e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof HttpFailure known
                    ? known
                    : new HttpFailure(HttpFailure.Kind.UNKNOWN, "the connection was not resumed: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new HttpFailure(HttpFailure.Kind.UNKNOWN, "the server did not answer stream/resume", e);
        }
    }

    /** Waits for the answer, and probes the socket meanwhile: see {@link #PROBES}. */
    private Message awaitResumed(ClientSocket next)
            throws IOException, InterruptedException, ExecutionException, TimeoutException {
        long since = settings.time.nanoTime();
        while (true) {
            try {
                return next.resumed().get(PROBE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException e) {
                if (settings.time.nanoTime() - since >= settings.connectTime.toNanos()) {
                    throw e;
                }
                next.ping(0);
            }
        }
    }

    /** From here on only what comes on the next socket counts. */
    private RawJson resumeParams(String id, ClientSocket next) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("connectionId");
        out.string(id);
        out.name("cursors");
        out.beginObject();
        lock.lock();
        try {
            listening = next;
            cursors.forEach((stream, cursor) -> {
                out.name(stream);
                out.string(cursor);
            });
        } finally {
            lock.unlock();
        }
        out.endObject();
        out.endObject();
        return out.toRawJson();
    }

    private void goOn(ClientSocket next, long arrived) throws HttpFailure {
        lock.lock();
        try {
            if (over) {
                // Closed while it was connecting: nobody else knows this socket.
                throw new HttpFailure(HttpFailure.Kind.FINAL, "the connection was closed", null);
            }
            outbox.sendAgain(arrived);
            socket = next;
            coming = null;
            heard = settings.time.nanoTime();
            openSince = heard;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private boolean pause(long atLeast) throws InterruptedException {
        lock.lock();
        try {
            return patience.pause(atLeast, lock, changed, () -> !isOver());
        } finally {
            lock.unlock();
        }
    }

    /** Pings, and cuts a socket that has been silent for too long. */
    private void watch() {
        Duration interval = resumption.keepAlive().isZero() ? PING_INTERVAL : resumption.keepAlive();
        long silence = resumption.silence(PING_INTERVAL.multipliedBy(5)).toNanos();
        Wakefulness wakefulness = new Wakefulness(settings);
        long pinged = settings.time.nanoTime();
        try {
            while (true) {
                ClientSocket current;
                boolean isDead;
                lock.lock();
                try {
                    if (!over) {
                        long tick = Math.min(interval.toNanos(), Wakefulness.TICK_NANOS);
                        settings.time.await(
                                lock, changed, probes > 0 ? Math.min(tick, PROBE_INTERVAL.toNanos()) : tick);
                    }
                    if (over) {
                        return;
                    }
                    long now = settings.time.nanoTime();
                    current = socket;
                    boolean slept = wakefulness.hasSlept();
                    isDead = wakefulness.deadBefore(slept, resumption.isOffered(), silence) - heard >= 0;
                    boolean probing = probes > 0 && now - probed >= PROBE_INTERVAL.toNanos();
                    if ((probing || now - pinged >= interval.toNanos()) && current != null) {
                        pinged = now;
                        probed = now;
                        probes -= probing ? 1 : 0;
                        outbox.ping();
                        changed.signalAll();
                    }
                } finally {
                    lock.unlock();
                }
                if (isDead && current != null) {
                    closed(
                            current,
                            1006,
                            new HttpFailure(HttpFailure.Kind.UNKNOWN, "the server gives no sign of life", null));
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void ping(ClientSocket current, long count) throws InterruptedException {
        try {
            current.ping(count);
        } catch (IOException e) {
            closed(current, 1006, requests.failure(e));
        } finally {
            sentLast();
        }
    }

    // ---- the rest of a line

    @Override
    public boolean opened(String session) {
        // Everything comes on one socket.
        return false;
    }

    @Override
    public void closed(String session) {
        lock.lock();
        try {
            long now = settings.time.nanoTime();
            closed.put(session, now);
            List<String> old = closed.entrySet().stream()
                    .filter(entry -> now - entry.getValue() >= CLOSED_TIME.toNanos())
                    .map(Map.Entry::getKey)
                    .toList();
            for (String forgotten : old) {
                boolean unused = forgetClosed(forgotten);
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isCut(String stream) {
        // Everything comes on one socket.
        return false;
    }

    @Override
    public boolean hasPassed(String stream, String cursor) {
        lock.lock();
        try {
            return recent.contains(cursor);
        } finally {
            lock.unlock();
        }
    }

    private void lose(HttpFailure why) {
        if (!isOver()) {
            owner.lost(why);
        }
    }

    @Override
    public boolean isOver() {
        lock.lock();
        try {
            return over;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void finish() throws InterruptedException {
        ClientSocket last;
        lock.lock();
        try {
            while (!over && (!outbox.isEmpty() || isSending)) {
                changed.await();
            }
            finishing = true;
            last = socket;
        } finally {
            lock.unlock();
        }
        farewellSince = settings.time.nanoTime();
        if (last != null) {
            last.sendClose(settings.leavesRunning ? SocketCodes.GOING_AWAY : SocketCodes.NORMAL);
            // Also when the server does not answer it.
            closed(
                    last,
                    WebSocket.NORMAL_CLOSURE,
                    new HttpFailure(HttpFailure.Kind.UNKNOWN, "closed by this side", null));
        }
    }

    /** The socket has ended as this side or the server wanted. */
    private void end() {
        try {
            if (!settings.leavesRunning) {
                endConnection();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        owner.ended();
    }

    /**
     * A connection that can be gone on with outlives its sockets, so it is ended by itself. That it has ended already
     * is an answer, too. Servers at lines of another kind are ours, to whom the goodbye of the socket is enough.
     */
    private void endConnection() throws InterruptedException {
        String id = connectionId;
        if (id == null || !resumption.isOffered() || settings.line != null) {
            return;
        }
        requests.belongTo(id, "");
        try {
            Duration left = FAREWELL_TIME.minusNanos(settings.time.nanoTime() - farewellSince);
            requests.endConnection(left.compareTo(SHORTEST_FAREWELL) < 0 ? SHORTEST_FAREWELL : left);
        } catch (HttpFailure e) {
            owner.problem("the server could not be asked to end the connection, which it does by itself later", e);
        }
    }

    @Override
    public void close(boolean farewell) {
        ClientSocket last;
        ClientSocket unfinished;
        boolean isFirst;
        lock.lock();
        try {
            isFirst = !over;
            over = true;
            last = socket;
            unfinished = coming;
            socket = null;
            coming = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (unfinished != null) {
            unfinished.cut();
        }
        if (farewell && isFirst) {
            farewellSince = settings.time.nanoTime();
            try {
                if (last != null) {
                    last.sendClose(SocketCodes.NORMAL);
                }
                endConnection();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (last != null) {
            last.cut();
        }
        requests.close();
    }
}
