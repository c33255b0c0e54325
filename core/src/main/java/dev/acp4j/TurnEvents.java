package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events of a turn that nobody has read yet, bounded in bytes, and the one who reads them.
 *
 * <p>The lock guards everything but what the reader has taken. It is not held while anything is sent or called back.
 */
final class TurnEvents implements Iterator<SessionEvent> {
    /**
     * Events that the reader takes at once: to take the lock, and to be woken, for each of them costs more than they
     * do.
     */
    private static final class Batch {
        private static final int EVENTS = 64;

        /** So many batches hold as much as may be unread: what the reader has taken is not counted any more. */
        private static final int SHARE = 16;

        final List<@Nullable SessionEvent> events = new ArrayList<>();
        long bytes;

        boolean isFull(long limit) {
            return events.size() == EVENTS || bytes >= limit / SHARE;
        }
    }

    private final Turn turn;
    private final boolean keepsText;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Batch> queue = new ArrayDeque<>();

    /** The last one of the queue, while it is not full. */
    @GuardedBy("lock")
    private @Nullable Batch filling;

    @GuardedBy("lock")
    private long queuedBytes;

    /** What the agent has said, whether or not that was read. */
    @GuardedBy("lock")
    private final GrowingText text = new GrowingText();

    /** Whether events are kept for a reader; not when somebody waits for the end only. Changed under the lock. */
    private volatile boolean keeping = true;

    /** The thread that reads the events, once one does. */
    @GuardedBy("lock")
    private @Nullable Thread reader;

    @GuardedBy("lock")
    private boolean ended;

    /** The call through which a handler waits for events, while one does. */
    @GuardedBy("lock")
    private @Nullable Call waitingThrough;

    /** Whether a reader that found nothing would find something now. Changed under the lock. */
    private volatile boolean news;

    // What the reader has taken. Only the reader touches it.

    private List<@Nullable SessionEvent> taken = List.of();
    private int next;

    /**
     * Whether {@link #hasNext()} has promised the next event: it stays, even if the turn is closed before it is read.
     */
    private boolean promised;

    TurnEvents(Turn turn, boolean keepsText) {
        this.turn = turn;
        this.keepsText = keepsText;
    }

    // ---- reading

    /** Makes the current thread the reader. */
    void beginReading() {
        lock.lock();
        try {
            if (reader != null || !keeping) {
                throw new IllegalStateException("the events of a turn can be read once, and were let pass or read");
            }
            reader = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean hasNext() {
        try {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            promised = promised || (keeping && next < taken.size()) || take();
            return promised;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        turn.cancel();
        throw new CancellationException("interrupted while reading a turn");
    }

    @Override
    public SessionEvent next() {
        if (!hasNext()) {
            throw new NoSuchElementException();
        }
        promised = false;
        return Objects.requireNonNull(taken.set(next++, null));
    }

    /** Waits for events and takes them. Returns false when there are none and the turn has ended. */
    private boolean take() throws InterruptedException {
        if (Connection.isInHandler()) {
            awaitNewsInHandler();
        }
        lock.lockInterruptibly();
        try {
            while (!look()) {
                changed.await();
            }
            Batch batch = queue.poll();
            if (batch != null) {
                filling = queue.isEmpty() ? null : filling;
                queuedBytes -= batch.bytes;
                taken = batch.events;
                next = 0;
                changed.signalAll();
            }
            return batch != null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean look() {
        news = !queue.isEmpty() || ended;
        return news;
    }

    /** Waits through the call, as for the end of the turn: the events may stand behind the handler that reads them. */
    private void awaitNewsInHandler() throws InterruptedException {
        Call call;
        while (!hasNews() && (call = turn.awaitCallToWaitThrough()) != null) {
            if (waitThrough(call)) {
                call.join(() -> news);
                boolean unused = waitThrough(null);
            }
        }
    }

    private boolean hasNews() {
        lock.lock();
        try {
            return look();
        } finally {
            lock.unlock();
        }
    }

    /** Returns false when there is no reason to wait. */
    private boolean waitThrough(@Nullable Call call) {
        lock.lock();
        try {
            waitingThrough = look() ? null : call;
            return waitingThrough != null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the text of the agent's messages so far. */
    String text() {
        lock.lock();
        try {
            return text.toString();
        } finally {
            lock.unlock();
        }
    }

    // ---- letting pass

    /** Lets the events pass, unless another thread reads them. */
    void letPassUnlessRead() {
        lock.lock();
        try {
            if (reader == null || Thread.currentThread().equals(reader)) {
                drop();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets the events pass. */
    void letPass() {
        lock.lock();
        try {
            drop();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void drop() {
        keeping = false;
        queue.clear();
        filling = null;
        queuedBytes = 0;
        changed.signalAll();
    }

    // ---- filling

    /**
     * Takes an event; waits while too much is unread.
     *
     * @param more whether another follows at once, or else {@link #tellReader()}: the reader need not be woken for this
     *     one alone
     */
    void offer(SessionEvent event, int bytes, long limit, boolean more) throws InterruptedException {
        while (!offerAtOnce(event, bytes, limit, more)) {
            tellReader();
            awaitRoom(bytes, limit);
        }
    }

    /** Returns false when too much is unread. */
    private boolean offerAtOnce(SessionEvent event, int bytes, long limit, boolean more) throws InterruptedException {
        Call waiting;
        lock.lockInterruptibly();
        try {
            if (isFull(bytes, limit)) {
                return false;
            }
            if (keepsText && event instanceof SessionEvent.Message message) {
                text.append(message.text());
            }
            boolean batchIsFull = keeping && add(event, bytes, limit);
            waiting = more && !batchIsFull ? null : tell();
        } finally {
            lock.unlock();
        }
        wake(waiting);
        return true;
    }

    @GuardedBy("lock")
    private boolean isFull(int bytes, long limit) {
        return keeping && bytes > 0 && queuedBytes > 0 && queuedBytes + bytes > limit && !ended;
    }

    private void awaitRoom(int bytes, long limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (isFull(bytes, limit)) {
                if (reader == null) {
                    // Nobody reads: who follows the session by a listener or its view misses nothing.
                    drop();
                } else {
                    changed.await();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns true when the reader had better be told. */
    @GuardedBy("lock")
    private boolean add(SessionEvent event, int bytes, long limit) {
        if (filling == null) {
            filling = new Batch();
            queue.add(filling);
        }
        filling.events.add(event);
        filling.bytes += bytes;
        queuedBytes += bytes;
        if (!filling.isFull(limit)) {
            return false;
        }
        filling = null;
        return true;
    }

    /** No more events come. */
    void end() {
        Call waiting;
        lock.lock();
        try {
            ended = true;
            waiting = tell();
        } finally {
            lock.unlock();
        }
        wake(waiting);
    }

    /** Wakes the reader if it waits for what is there. */
    void tellReader() {
        Call waiting;
        lock.lock();
        try {
            waiting = tell();
        } finally {
            lock.unlock();
        }
        wake(waiting);
    }

    @GuardedBy("lock")
    private @Nullable Call tell() {
        if (!look()) {
            return null;
        }
        changed.signalAll();
        return waitingThrough;
    }

    private static void wake(@Nullable Call waiting) {
        if (waiting != null) {
            waiting.wake();
        }
    }
}
