package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What passes between the conductor and one component: which requests are inside it, how long each spends there, and
 * since when the component is silent. Notifications cost a look at the clock.
 *
 * <p>The lock guards the requests; nothing is called while it is held.
 */
final class Tap implements Transport {
    private static final int SAMPLES = 1024;
    private static final long SHORTEST_LOOK_NANOS = 10_000_000;

    private static final String PROMPT = "session/prompt";

    private static final Set<String> LOGINS = Set.of("authenticate", "auth/login");

    /** Takes a request that was answered. */
    interface Answered {
        /**
         * Takes it, on the thread that reads; must not block.
         *
         * @param session the session of a prompt; else empty
         * @param time how long it was inside
         * @param own the same without the time in which the component waited for others
         */
        void answered(String method, String session, long time, long own);
    }

    /** A request inside the component. */
    private static final class Inside {
        final String method;
        final String session;
        final long since;

        /** The requests of the component that began later: while one of them has no answer, others are to act. */
        final Set<RequestId> others = new HashSet<>();

        private long othersSince;
        private long othersTime;

        Inside(String method, String session, long since) {
            this.method = method;
            this.session = session;
            this.since = since;
        }

        void asks(RequestId id, long now) {
            if (others.isEmpty()) {
                othersSince = now;
            }
            others.add(id);
        }

        void isAnswered(RequestId id, long now) {
            if (others.remove(id) && others.isEmpty()) {
                othersTime += now - othersSince;
            }
        }

        long own(long now) {
            return now - since - othersTime - (others.isEmpty() ? 0 : now - othersSince);
        }
    }

    private final Transport transport;
    private final Clock clock;
    private final Queue<Message> first;
    private final Reader reader;
    private final Writer writer;

    /** What is called when a request has gone in, with its method. */
    private final Consumer<String> onRequest;

    /** What is called when a request was answered. */
    private final Answered onAnswered;

    /** Sees all messages that go to the component. */
    private final Consumer<Message> onTold;

    /** Sees all messages that come from it. */
    private final Consumer<Message> onSaid;

    /** How fast the component may speak; null for as fast as it does. */
    private volatile @Nullable Pace pace;

    private volatile long lastSign;

    /** Whether the component is read from. If not, what it said last waits to be passed on. */
    private volatile boolean isRead = true;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<RequestId, Inside> inside = new LinkedHashMap<>();

    /** What runs when requests are answered that are not inside any more. */
    @GuardedBy("lock")
    private final Map<RequestId, Runnable> awaited = new HashMap<>();

    @GuardedBy("lock")
    private final long[] samples = new long[SAMPLES];

    @GuardedBy("lock")
    private int sampled;

    /**
     * Begins.
     *
     * @param first what the component reports before it says anything
     */
    Tap(Transport transport, Clock clock, Consumer<String> onRequest, List<Message> first) {
        this(transport, clock, onRequest, (method, session, time, own) -> {}, first, null);
    }

    /**
     * Begins.
     *
     * @param sessions keeps the sessions of an agent; null for nothing
     */
    Tap(
            Transport transport,
            Clock clock,
            Consumer<String> onRequest,
            Answered onAnswered,
            List<Message> first,
            @Nullable OpenSessions sessions) {
        this.onAnswered = onAnswered;
        this.transport = transport;
        this.clock = clock;
        this.lastSign = clock.nanoTime();
        this.first = new ConcurrentLinkedQueue<>(first);
        this.reader = new TappedReader(transport.reader());
        this.writer = new TappedWriter(transport.writer());
        this.onRequest = onRequest;
        this.onTold = sessions == null ? unused -> {} : sessions::told;
        this.onSaid = sessions == null ? unused -> {} : sessions::said;
    }

    /** Reads no faster than this from now on. */
    void pace(Pace value) {
        pace = value;
    }

    // ---- what is known

    /**
     * Returns since when the component is silent: since it was read from again after its last message. While nobody
     * reads, because those for whom it writes do not, it is not silent.
     */
    long lastSign() {
        return isRead ? lastSign : clock.nanoTime();
    }

    /** Returns how many requests are inside. */
    int inFlight() {
        lock.lock();
        try {
            return inside.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether a request inside waits for the component itself: not for others, nor for a person who logs in.
     */
    boolean isAwaited() {
        lock.lock();
        try {
            for (Inside one : inside.values()) {
                if (one.others.isEmpty() && !LOGINS.contains(one.method)) {
                    return true;
                }
            }
            return false;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns a percentile of the time that the last requests spent inside.
     *
     * @param percent 0 to 100
     */
    long percentileNanos(int percent) {
        long[] sorted;
        lock.lock();
        try {
            sorted = Arrays.copyOf(samples, Math.min(sampled, SAMPLES));
        } finally {
            lock.unlock();
        }
        Arrays.sort(sorted);
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, sorted.length * percent / 100)];
    }

    /**
     * Returns the requests of a phase that have been inside for as long as a limit, by their own time; with the session
     * of a prompt, else with an empty text.
     */
    Map<RequestId, String> late(String phase, long limit) {
        long now = clock.nanoTime();
        Map<RequestId, String> late = new LinkedHashMap<>();
        lock.lock();
        try {
            inside.forEach((id, one) -> {
                if (Deadlines.phase(one.method).equals(phase) && left(one, phase, limit, now) <= 0) {
                    late.put(id, one.session);
                }
            });
        } finally {
            lock.unlock();
        }
        return late;
    }

    /** Counts requests no longer that nobody waits for. */
    void forget(Set<RequestId> ids) {
        lock.lock();
        try {
            ids.forEach(inside::remove);
        } finally {
            lock.unlock();
        }
    }

    /** Has something run when a request is answered, or the component has ended; it must not block. */
    void whenAnswered(RequestId id, Runnable action) {
        lock.lock();
        try {
            awaited.put(id, action);
        } finally {
            lock.unlock();
        }
    }

    /** The component answers nothing any more. */
    void ended() {
        List<Runnable> actions;
        lock.lock();
        try {
            actions = List.copyOf(awaited.values());
            awaited.clear();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    /** Returns in how many nanoseconds the next request of a phase may be late; empty if none is inside. */
    OptionalLong nextLook(String phase, long limit) {
        long now = clock.nanoTime();
        lock.lock();
        try {
            return inside.values().stream()
                    .filter(one -> Deadlines.phase(one.method).equals(phase))
                    .mapToLong(one -> Math.max(SHORTEST_LOOK_NANOS, left(one, phase, limit, now)))
                    .min();
        } finally {
            lock.unlock();
        }
    }

    /** Returns the time that a request has left. A prompt has all of it again with each message of the component. */
    private long left(Inside one, String phase, long limit, long now) {
        if (!phase.equals("prompt")) {
            return limit - one.own(now);
        }
        return one.others.isEmpty() ? limit - Math.min(one.own(now), now - lastSign()) : limit;
    }

    // ---- what passes

    private void said(Message message) {
        RequestId id = message.id();
        if (id == null) {
            return;
        }
        long now = clock.nanoTime();
        Inside done = null;
        Runnable action = null;
        long own = 0;
        lock.lock();
        try {
            if (message.kind().isResponse()) {
                action = awaited.remove(id);
                done = inside.remove(id);
                if (done != null) {
                    own = done.own(now);
                    samples[sampled % SAMPLES] = own;
                    // Counts on from where it would overflow, so that the samples stay as many.
                    sampled = sampled == Integer.MAX_VALUE ? SAMPLES : sampled + 1;
                }
            } else {
                for (Inside one : inside.values()) {
                    one.asks(id, now);
                }
            }
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
        if (done != null) {
            onAnswered.answered(done.method, done.session, now - done.since, own);
        }
    }

    private void told(Message message) {
        RequestId id = message.id();
        if (id == null) {
            return;
        }
        long now = clock.nanoTime();
        boolean isRequest = !message.kind().isResponse();
        lock.lock();
        try {
            if (isRequest) {
                if (!message.method().equals(Interceptions.PING)) {
                    boolean isPrompt = message.method().equals(PROMPT);
                    inside.put(id, new Inside(message.method(), isPrompt ? message.session() : "", now));
                }
            } else {
                // It has to act again, and is not silent yet.
                lastSign = now;
                for (Inside one : inside.values()) {
                    one.isAnswered(id, now);
                }
            }
        } finally {
            lock.unlock();
        }
        if (isRequest) {
            onRequest.accept(message.method());
        }
    }

    @Override
    public Reader reader() {
        return reader;
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
    public Limits limits(Limits limits) {
        return transport.limits(limits);
    }

    @Override
    public boolean holdsCarrier() {
        return transport.holdsCarrier();
    }

    @Override
    public void close() {
        transport.close();
    }

    private final class TappedReader implements Reader {
        private final Reader in;

        TappedReader(Reader in) {
            this.in = in;
        }

        @Override
        public @Nullable Message read() throws IOException, InterruptedException {
            Message missing = first.poll();
            if (missing != null) {
                return missing;
            }
            Pace slower = pace;
            if (slower != null) {
                slower.await();
            }
            lastSign = clock.nanoTime();
            isRead = true;
            Message message = in.read();
            isRead = false;
            if (message != null) {
                onSaid.accept(message);
                said(message);
            }
            return message;
        }

        @Override
        public boolean isReady() {
            return !first.isEmpty() || in.isReady();
        }
    }

    private final class TappedWriter implements Writer {
        private final Writer out;

        TappedWriter(Writer out) {
            this.out = out;
        }

        @Override
        public void write(Message message) throws IOException {
            onTold.accept(message);
            told(message);
            out.write(message);
        }

        @Override
        public boolean takes(int bytes, long unread) {
            return out.takes(bytes, unread);
        }

        @Override
        public void flush() throws IOException {
            out.flush();
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
