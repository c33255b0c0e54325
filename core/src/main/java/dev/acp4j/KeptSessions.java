package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Sessions that no client is attached to, until their time is over. A thread waits for that as long as there are any.
 *
 * <p>The lock guards everything; it is taken after the lock of a session, and no other is taken while it is held.
 */
final class KeptSessions implements Runnable {
    private final AgentSessions owner;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** When each one ends. All are kept for the same time, so the first one ends first. */
    @GuardedBy("lock")
    private final Map<AgentSession, Long> deadlines = new LinkedHashMap<>();

    @GuardedBy("lock")
    private boolean running;

    KeptSessions(AgentSessions owner) {
        this.owner = owner;
    }

    void add(AgentSession session) {
        lock.lock();
        try {
            deadlines.put(session, owner.config.time.nanoTime() + nanos(owner.config.keepSessions));
            if (!running) {
                owner.start(this);
                running = true;
            }
        } finally {
            lock.unlock();
        }
    }

    /** A time that nobody lives to see must not overflow. */
    private static long nanos(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) > 0 ? Long.MAX_VALUE / 2 : time.toNanos();
    }

    void remove(AgentSession session) {
        lock.lock();
        try {
            if (deadlines.remove(session) != null) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        AgentSession over;
        while ((over = next()) != null) {
            AgentSession session = over;
            try {
                owner.start(() -> owner.endIfAlone(session));
            } catch (OutOfMemoryError e) {
                // There is no thread for it, so the others wait for this one.
                owner.endIfAlone(session);
            }
        }
    }

    /** Waits until the time of a session is over and returns it; null when no session is kept any more. */
    private @Nullable AgentSession next() {
        lock.lock();
        try {
            while (!deadlines.isEmpty()) {
                Map.Entry<AgentSession, Long> first =
                        deadlines.entrySet().iterator().next();
                long left = first.getValue() - owner.config.time.nanoTime();
                if (left <= 0) {
                    deadlines.remove(first.getKey());
                    return first.getKey();
                }
                owner.config.time.await(lock, changed, left);
            }
            running = false;
            return null;
        } catch (InterruptedException e) {
            // Nobody interrupts this thread.
            throw new IllegalStateException(e);
        } finally {
            lock.unlock();
        }
    }
}
