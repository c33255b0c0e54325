package dev.acp4j.testkit;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A clock that stands still until the test turns it. A connection that was given it waits for ever until then.
 *
 * <p>The lock guards the time and the list of those who wait. It is never held while taking a waiter's lock.
 */
public final class FakeTime implements Time {
    private record Waiter(ReentrantLock lock, Condition condition) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition arrived = lock.newCondition();

    @GuardedBy("lock")
    private final List<Waiter> waiters = new ArrayList<>();

    @GuardedBy("lock")
    private long now;

    /** The time that each thread has read last; by it the thread decides to wait. */
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
    @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
    public void await(ReentrantLock held, Condition condition, long nanos) throws InterruptedException {
        Waiter waiter = new Waiter(held, condition);
        if (!begin(waiter)) {
            // Time has passed since the caller looked at the clock, and it would wait for too long.
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

    /** Lets time pass: whoever waits looks at the clock again. */
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
     * Waits, in real time, until that many threads wait for this clock: so a test knows that a call has begun to wait
     * before it turns the clock.
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
