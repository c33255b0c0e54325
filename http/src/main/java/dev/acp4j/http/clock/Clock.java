package dev.acp4j.http.clock;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs an action about once a second, on a virtual thread, until it is closed. What the action throws is logged, and
 * the clock goes on.
 *
 * <p>The lock guards whether it is closed. The action runs without it.
 */
public final class Clock implements AutoCloseable {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();

    private final Time time;
    private final Runnable action;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private boolean closed;

    private Clock(Time time, Runnable action) {
        this.time = time;
        this.action = action;
    }

    /**
     * Starts a clock.
     *
     * @param name that of its thread
     */
    public static Clock start(String name, Time time, Runnable action) {
        Clock clock = new Clock(time, action);
        Thread unused = Thread.ofVirtual().name(name).start(clock::run);
        return clock;
    }

    private void run() {
        try {
            while (awaitTick()) {
                attempt(action);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for a second. Returns false when the clock is closed. */
    private boolean awaitTick() throws InterruptedException {
        long until = time.nanoTime() + SECOND;
        lock.lockInterruptibly();
        try {
            for (long left = SECOND; left > 0 && !closed; left = until - time.nanoTime()) {
                time.await(lock, changed, left);
            }
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    /** Runs something that is due; what it throws is logged, so that the rest of what is due is done. */
    public static void attempt(Runnable due) {
        try {
            due.run();
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.ERROR, "looking at the clock has failed", e);
        }
    }

    /** Ends the clock. An action that runs is not waited for. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
