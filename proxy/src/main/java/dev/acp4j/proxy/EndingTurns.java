package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Turns that were cancelled since nobody waits for them any more, by their sessions: the next prompt of such a session
 * waits until all of them have ended.
 *
 * <p>The lock guards how many there are; nothing is called while it is held.
 */
final class EndingTurns {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, Integer> ending = new HashMap<>();

    /** A turn was cancelled. Returns what is to run when it has ended; it may run more than once. */
    Runnable add(String session) {
        lock.lock();
        try {
            ending.merge(session, 1, Integer::sum);
        } finally {
            lock.unlock();
        }
        AtomicBoolean ended = new AtomicBoolean();
        return () -> {
            if (ended.compareAndSet(false, true)) {
                remove(session);
            }
        };
    }

    private void remove(String session) {
        lock.lock();
        try {
            ending.computeIfPresent(session, (unused, count) -> count == 1 ? null : count - 1);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a prompt of a session would have to wait. */
    boolean isAny(String session) {
        lock.lock();
        try {
            return ending.containsKey(session);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the turns of a session have ended. */
    void await(String session) throws InterruptedException {
        lock.lock();
        try {
            while (ending.containsKey(session)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }
}
