package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A clock that goes on when a test says so. */
final class ManualClock implements Clock {
    private record Task(long due, Runnable action) {}

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final List<Task> tasks = new ArrayList<>();

    @GuardedBy("lock")
    private long now;

    @Override
    public long nanoTime() {
        lock.lock();
        try {
            return now;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void later(long nanos, Runnable action) {
        lock.lock();
        try {
            tasks.add(new Task(now + nanos, action));
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {}

    /** Waits until something is planned for a moment from now. */
    void awaitPlan(Duration time) throws InterruptedException {
        lock.lock();
        try {
            long due = now + time.toNanos();
            while (tasks.stream().noneMatch(task -> task.due == due)) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets time pass, and does what was planned for it. */
    void advance(Duration time) {
        long end = nanoTime() + time.toNanos();
        Runnable next;
        while ((next = next(end)) != null) {
            next.run();
        }
    }

    private @Nullable Runnable next(long end) {
        lock.lock();
        try {
            Task task = tasks.stream()
                    .filter(planned -> planned.due <= end)
                    .min(Comparator.comparingLong(Task::due))
                    .orElse(null);
            now = task == null ? end : Math.max(now, task.due);
            return task == null || !tasks.remove(task) ? null : task.action;
        } finally {
            lock.unlock();
        }
    }
}
