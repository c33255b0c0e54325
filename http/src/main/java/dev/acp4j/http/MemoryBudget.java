package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a server holds for all its clients, and how much more each connection may have wait: as much as is left of the
 * bound. So one connection alone has at most half of it. Where n of them take all they may, each has a part of n + 1,
 * and one part stays free, for those whose clients read. Nothing has to be divided among connections that come and go.
 *
 * <p>The lock guards the counts and who waits. It is taken last, and nothing is called while it is held.
 */
final class MemoryBudget {
    /** So much may wait of each connection, whatever others have, so that none stands still. */
    static final long LEAST = 16 * 1024;

    /** A connection whose agent waits until more is left. */
    static final class Waiter {
        private final long number;
        private final Runnable wake;

        /** How much waits of it. */
        private long has;

        private Waiter(long number, Runnable wake) {
            this.number = number;
            this.wake = wake;
        }
    }

    private final long limit;
    private final long mostKept;
    private final ReentrantLock lock = new ReentrantLock();

    /** Those that have least are first. */
    @GuardedBy("lock")
    private final TreeSet<Waiter> waiters = new TreeSet<>(
            Comparator.<Waiter>comparingLong(waiter -> waiter.has).thenComparingLong(waiter -> waiter.number));

    private final AtomicLong lastWaiter = new AtomicLong();

    /** Changed with the lock. */
    private volatile long queued;

    /** Changed with the lock. */
    private volatile long kept;

    /**
     * Creates the count of a server that holds nothing.
     *
     * @param limit how many bytes may wait
     * @param mostKept how many bytes that were sent may be kept until some are dropped at once
     */
    MemoryBudget(long limit, long mostKept) {
        this.limit = limit;
        this.mostKept = mostKept;
    }

    /**
     * Returns what waits for one connection.
     *
     * @param wake run without a lock
     */
    Waiter waiter(Runnable wake) {
        return new Waiter(lastWaiter.incrementAndGet(), wake);
    }

    /** Returns how many bytes wait for agents and clients. */
    long queued() {
        return queued;
    }

    /** Returns how many bytes are kept that were sent. */
    long kept() {
        return kept;
    }

    /** Returns whether so much is kept that some has to be dropped now. */
    boolean keepsTooMuch() {
        return kept > mostKept;
    }

    /** Returns whether all that may wait waits. */
    boolean isFull() {
        return queued >= limit;
    }

    /** Returns how much may wait of one connection in one direction, before it has to wait itself. */
    long share() {
        return Math.max(LEAST, limit - queued);
    }

    /** Counts that more waits, or less, and is kept. Then, without a lock, {@link #wake}. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    void add(long moreQueued, long moreKept) {
        if (moreQueued == 0 && moreKept == 0) {
            return;
        }
        lock.lock();
        try {
            queued += moreQueued;
            kept += moreKept;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether more may be added to what waits of a connection. If not, its waiter is woken once that may have
     * changed because of others.
     *
     * @param has how much waits of the connection
     */
    boolean admits(long has, Waiter waiter) {
        lock.lock();
        try {
            if (has < share()) {
                return true;
            }
            waiters.remove(waiter);
            waiter.has = has;
            waiters.add(waiter);
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** The connection has ended: nobody waits any more. */
    void forget(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether there is too little for another connection than that of a waiter. */
    boolean isShortForOthers(Waiter than) {
        lock.lock();
        try {
            return isFull() || waiters.stream().anyMatch(waiter -> waiter.number != than.number);
        } finally {
            lock.unlock();
        }
    }

    /** Wakes those that may go on. Without a lock. */
    void wake() {
        List<Waiter> woken = new ArrayList<>(0);
        lock.lock();
        try {
            while (!waiters.isEmpty() && waiters.first().has < share()) {
                woken.add(waiters.pollFirst());
            }
        } finally {
            lock.unlock();
        }
        woken.forEach(waiter -> waiter.wake.run());
    }
}
