package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The events of a turn that nobody has read yet, and the thread that reads them. The connection's reading thread fills
 * it and, when too much is unread, waits for the reader; without a reader it discards what is unread.
 *
 * <p>The lock guards everything but what the reader has taken. While it is held, a step may be ended, for which the
 * connection's lock is taken; nothing is sent or called back.
 */
final class TurnEvents implements Iterator<SessionEvent> {
    /**
     * Events that the reader takes at once: to take the lock, and to be woken, for each of them costs more than they
     * do.
     */
    private static final class Batch {
        private static final int EVENTS = 64;

        /** So many batches hold as much as may be unread. What the reader has taken is not counted any more. */
        private static final int SHARE = 16;

        final List<@Nullable SessionEvent> events = new ArrayList<>();
        long bytes;

        boolean isFull(long limit) {
            return events.size() == EVENTS || bytes >= limit / SHARE;
        }
    }

    /** Something to read, or the end. */
    private static final class Arrival extends Step {
        /** Whether it ends when the reading thread has nothing more at hand. */
        boolean isDueSoon;

        Arrival(Connection connection) {
            super(connection, "");
        }

        @Override
        protected String name() {
            return "the events of a turn";
        }
    }

    private final Turn turn;
    private final Connection connection;
    private final Connection.Backlog backlog;
    private final ReentrantLock lock = new ReentrantLock();

    /** Full batches, which are counted in the backlog, and perhaps one that is filling. */
    @GuardedBy("lock")
    private final ArrayDeque<Batch> queue = new ArrayDeque<>();

    /** The last one of the queue, while it is not full. */
    @GuardedBy("lock")
    private @Nullable Batch filling;

    /** Whether events are kept. Changed under the lock. */
    private volatile boolean keeping = true;

    /** How many events were discarded before somebody read. */
    @GuardedBy("lock")
    private long missed;

    /** The thread that reads the events, once one does. */
    @GuardedBy("lock")
    private @Nullable Thread reader;

    @GuardedBy("lock")
    private boolean ended;

    /** What the reader waits for, while it does. */
    @GuardedBy("lock")
    private @Nullable Arrival awaited;

    // What the reader has taken. Only the reader touches it.

    private List<@Nullable SessionEvent> taken = List.of();
    private int next;

    /**
     * Whether {@link #hasNext()} has promised the next event: it stays, even if the turn is closed before it is read.
     */
    private boolean promised;

    TurnEvents(Turn turn, Connection connection) {
        this.turn = turn;
        this.connection = connection;
        this.backlog = connection.newBacklog();
    }

    // ---- reading

    /** Makes the current thread the reader. */
    void beginReading() {
        lock.lock();
        try {
            if (reader != null || !keeping) {
                throw new IllegalStateException(
                        "this turn's events were already consumed or discarded; iterate once, before close()");
            }
            reader = Thread.currentThread();
            backlog.consumedBy(reader);
            if (missed > 0) {
                taken = new ArrayList<>(List.of(new SessionEvent.Missed(missed, SessionEvent.Origin.HERE)));
            }
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
        while (true) {
            Arrival arrival;
            lock.lockInterruptibly();
            try {
                Batch batch = queue.poll();
                if (batch != null) {
                    take(batch);
                    return true;
                }
                if (ended || !keeping) {
                    return false;
                }
                arrival = new Arrival(connection);
                awaited = arrival;
            } finally {
                lock.unlock();
            }
            arrival.join();
        }
    }

    @GuardedBy("lock")
    private void take(Batch batch) {
        if (Objects.equals(filling, batch)) {
            filling = null;
        } else {
            backlog.remove(batch.bytes);
        }
        taken = batch.events;
        next = 0;
    }

    // ---- discarding

    /** Discards the events if the calling thread is their reader, which does not read while it waits for the end. */
    void discardIfOwn() {
        lock.lock();
        try {
            if (Thread.currentThread().equals(reader)) {
                discard();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Discards the events, those to come as well. */
    void discardAll() {
        lock.lock();
        try {
            discard();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void discard() {
        keeping = false;
        backlog.consumedBy(null);
        clear();
        wake(false);
    }

    /** Returns how many events were dropped. */
    @GuardedBy("lock")
    private long clear() {
        long events = 0;
        long counted = 0;
        for (Batch batch : queue) {
            events += batch.events.size();
            counted += Objects.equals(filling, batch) ? 0 : batch.bytes;
        }
        queue.clear();
        filling = null;
        backlog.remove(counted);
        return events;
    }

    // ---- filling

    /**
     * Takes an event, on the connection's reading thread; waits while the reader has too much unread.
     *
     * @param bytes the memory that the event takes
     */
    void add(SessionEvent event, int bytes) throws InterruptedException {
        boolean isOver = false;
        lock.lock();
        try {
            if (keeping && !ended) {
                isOver = keep(event, bytes);
            }
        } finally {
            lock.unlock();
        }
        if (isOver) {
            backlog.awaitRoom();
        }
    }

    /** Returns whether the reader must take something before more is added. */
    @GuardedBy("lock")
    private boolean keep(SessionEvent event, int bytes) {
        Batch batch = filling;
        if (batch == null) {
            batch = new Batch();
            filling = batch;
            queue.add(batch);
        }
        batch.events.add(event);
        batch.bytes += bytes;
        if (!batch.isFull(connection.limits().laneBytes())) {
            wake(true);
            return false;
        }
        filling = null;
        boolean fits = backlog.add(batch.bytes);
        if (!fits && reader == null) {
            // Nobody reads: a program that follows the session by a listener or its view misses nothing.
            missed += clear();
            return false;
        }
        wake(false);
        return !fits;
    }

    /** No more events come. */
    void end() {
        lock.lock();
        try {
            ended = true;
            // What is unread is the program's now, and does not slow the agent.
            long counted = 0;
            for (Batch batch : queue) {
                counted += Objects.equals(filling, batch) ? 0 : batch.bytes;
                batch.bytes = 0;
            }
            filling = null;
            backlog.remove(counted);
            backlog.consumedBy(null);
            wake(false);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes the reader if it waits; soon, if more is likely to be there then. */
    @GuardedBy("lock")
    private void wake(boolean soon) {
        Arrival arrival = awaited;
        if (arrival == null) {
            return;
        }
        if (!soon) {
            awaited = null;
            connection.end(arrival);
        } else if (!arrival.isDueSoon) {
            // It stays, so that a full batch need not wait for what is due soon.
            arrival.isDueSoon = true;
            connection.endSoon(arrival);
        }
    }
}
