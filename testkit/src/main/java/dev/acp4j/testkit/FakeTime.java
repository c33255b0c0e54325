package dev.acp4j.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that advances only when the test advances it. Timeouts of a connection with this clock do not expire until
 * then.
 *
 * <p>The lock guards the time and the list of waiting threads. It is never held while taking a waiter's lock.
 */
public final class FakeTime implements Time {
    private record Waiter(ReentrantLock lock, Condition condition) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    @GuardedBy("lock")
    private final List<Waiter> waiters = new ArrayList<>();

    @GuardedBy("lock")
    private long now;

    /** The time that each thread has read last, on which its decision to wait is based. */
    private final ThreadLocal<Long> read = new ThreadLocal<>();

    /** Creates a clock that shows zero. */
    public FakeTime() {}

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            read.set(now);
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // The caller loops.
    public void await(ReentrantLock held, Condition condition, long nanos) throws InterruptedException {
        Waiter waiter = new Waiter(held, condition);
        if (!begin(waiter)) {
            // The clock has advanced since the caller read it, so the caller would wait for too long.
            return;
        }
        try {
            condition.await();
        } finally {
            end(waiter);
        }
    }

    private boolean begin(Waiter waiter) {
        lock.lock();
        try {
            Long seen = read.get();
            if (seen != null && seen != now) {
                read.set(now);
                return false;
            }
            waiters.add(waiter);
            arrived.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void end(Waiter waiter) {
        lock.lock();
        try {
            waiters.remove(waiter);
        } finally {
            lock.unlock();
        }
    }

    /** Advances the clock: waiting threads read it again. */
    public void advance(Duration time) {
        List<Waiter> woken;
        lock.lock();
        try {
            now += time.toNanos();
            woken = List.copyOf(waiters);
        } finally {
            lock.unlock();
        }
        for (Waiter waiter : woken) {
            waiter.lock.lock();
            try {
                waiter.condition.signalAll();
            } finally {
                waiter.lock.unlock();
            }
        }
    }

    /**
     * Waits, in real time, until that many threads wait for this clock, so that a test can advance it after a call has
     * begun to wait.
     *
     * @throws InterruptedException when interrupted
     */
    public void awaitWaiters(int count) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiters.size() < count) {
                arrived.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
