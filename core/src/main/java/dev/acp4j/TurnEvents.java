package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events of a turn that nobody has read yet, bounded in bytes, and the one who reads them.
 *
 * <p>The lock guards everything. It is not held while anything is sent or called back.
 */
final class TurnEvents implements Iterator<SessionEvent> {
    private record Queued(SessionEvent event, int bytes) {}

    private final Turn turn;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Queued> queue = new ArrayDeque<>();

    @GuardedBy("lock")
    private long queuedBytes;

    /** Whether events are kept for a reader; not when somebody waits for the end only. */
    @GuardedBy("lock")
    private boolean keeping = true;

    /** What {@link #hasNext()} has promised: it is there for {@link #next()} even if the turn is closed in between. */
    @GuardedBy("lock")
    private @Nullable SessionEvent upcoming;

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

    TurnEvents(Turn turn) {
        this.turn = turn;
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
            if (Connection.isInHandler()) {
                awaitNewsInHandler();
            }
            lock.lockInterruptibly();
            try {
                while (!look()) {
                    changed.await();
                }
                return take();
            } finally {
                lock.unlock();
            }
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
        lock.lock();
        try {
            SessionEvent next = Objects.requireNonNull(upcoming);
            upcoming = null;
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Takes the next event out of the queue, if it is not taken yet. Returns false when there is none. */
    @GuardedBy("lock")
    private boolean take() {
        if (upcoming == null && !queue.isEmpty()) {
            Queued next = queue.remove();
            queuedBytes -= next.bytes;
            upcoming = next.event;
            changed.signalAll();
        }
        return upcoming != null;
    }

    @GuardedBy("lock")
    private boolean look() {
        news = upcoming != null || !queue.isEmpty() || ended;
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
        queuedBytes = 0;
        changed.signalAll();
    }

    // ---- filling

    /** Takes an event; waits while too much is unread. */
    void offer(SessionEvent event, int bytes, long limit) throws InterruptedException {
        Call waiting;
        lock.lockInterruptibly();
        try {
            while (keeping && bytes > 0 && queuedBytes > 0 && queuedBytes + bytes > limit && !ended) {
                if (reader == null) {
                    // Nobody reads: who follows the session by a listener or its view misses nothing.
                    drop();
                } else {
                    changed.await();
                }
            }
            if (keeping) {
                queue.add(new Queued(event, bytes));
                queuedBytes += bytes;
            }
            waiting = tellReader();
        } finally {
            lock.unlock();
        }
        wake(waiting);
    }

    /** No more events come. */
    void end() {
        Call waiting;
        lock.lock();
        try {
            ended = true;
            waiting = tellReader();
        } finally {
            lock.unlock();
        }
        wake(waiting);
    }

    @GuardedBy("lock")
    private @Nullable Call tellReader() {
        news = true;
        changed.signalAll();
        return waitingThrough;
    }

    private static void wake(@Nullable Call waiting) {
        if (waiting != null) {
            waiting.wake();
        }
    }
}
