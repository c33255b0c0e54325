package dev.acp4j.http;

import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The time of the machine, which a test can put forward, for what waits by itself in between. */
final class JumpingTime implements Time {
    private final AtomicLong ahead = new AtomicLong();
    private final Map<Condition, ReentrantLock> waiting = new ConcurrentHashMap<>();

    @Override
    public long nanoTime() {
        return System.nanoTime() + ahead.get();
    }

    @Override
    @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
    public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
        waiting.put(condition, lock);
        long unused = condition.awaitNanos(nanos);
    }

    /** Puts the clock forward: those that wait look again. */
    void jump(Duration time) {
        long unused = ahead.addAndGet(time.toNanos());
        waiting.forEach((condition, lock) -> {
            lock.lock();
            try {
                condition.signalAll();
            } finally {
                lock.unlock();
            }
        });
    }
}
