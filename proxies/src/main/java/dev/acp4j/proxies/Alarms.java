package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.PriorityQueue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Does things later. Each alarm has a thread of its own when it goes off, so one that blocks holds up no other; the
 * thread that waits exists only while there are alarms.
 *
 * <p>The lock guards the alarms; nothing is done while it is held.
 */
final class Alarms {
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final PriorityQueue<Alarm> alarms = new PriorityQueue<>();

    @GuardedBy("lock")
    private boolean isWaiting;

    Alarms(Time time) {
        this.time = time;
    }

    /** One thing to be done. */
    final class Alarm implements Comparable<Alarm> {
        private final long at;
        private final Runnable action;

        private Alarm(long at, Runnable action) {
            this.at = at;
            this.action = action;
        }

        /** It is not done any more, unless it has begun. */
        void cancel() {
            lock.lock();
            try {
                if (alarms.remove(this)) {
                    changed.signalAll();
                }
            } finally {
                lock.unlock();
            }
        }

        @Override
        public int compareTo(Alarm other) {
            return Long.signum(at - other.at);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    long now() {
        return time.nanoTime();
    }

    /** Does something after a time. */
    Alarm in(Duration delay, Runnable action) {
        lock.lock();
        try {
            Alarm alarm = new Alarm(time.nanoTime() + delay.toNanos(), action);
            alarms.add(alarm);
            if (isWaiting) {
                changed.signalAll();
            } else {
                isWaiting = true;
                Thread.ofPlatform().daemon().name("acp4j-alarms").start(this::run);
            }
            return alarm;
        } finally {
            lock.unlock();
        }
    }

    private void run() {
        lock.lock();
        try {
            try {
                await();
            } finally {
                isWaiting = false;
            }
        } catch (InterruptedException e) {
            // Nobody does that: the thread is this object's own.
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void await() throws InterruptedException {
        while (!alarms.isEmpty()) {
            long left = alarms.element().at - time.nanoTime();
            if (left > 0) {
                time.await(lock, changed, left);
            } else {
                Thread.ofPlatform().daemon().name("acp4j-alarm").start(alarms.remove().action);
            }
        }
    }
}
