package dev.acp4j.proxy;

import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Looks at interceptors that run for long: reports them and, if their proxy has a limit, interrupts them. Only the time
 * counts in which an interceptor waits neither for the next one nor for an answer.
 */
final class Patience {
    /** How long is long; zero stands for ever. */
    record Bounds(Duration report, Duration end) {
        static final Bounds NONE = new Bounds(Duration.ZERO, Duration.ZERO);
        static final Bounds STANDARD = new Bounds(Duration.ofMinutes(1), Duration.ZERO);

        Bounds {
            if (report.isNegative() || end.isNegative()) {
                throw new IllegalArgumentException("a time is negative: " + report + ", " + end);
            }
        }

        /** Returns the nanoseconds until the next bound; negative when there is none. */
        private long next(boolean isReported, boolean isEnded) {
            long first = isReported ? 0 : report.toNanos();
            long last = isEnded ? 0 : end.toNanos();
            return first == 0 || last == 0 ? Math.max(first, last) - 1 : Math.min(first, last) - 1;
        }
    }

    private static final int FRAMES = 12;
    private static final long SHORTEST_LOOK_NANOS = 10_000_000;

    private final BiConsumer<Entry, Problem> onProblem;

    /** The innermost interceptor of each thread. */
    private final Map<Thread, Watch> running = new ConcurrentHashMap<>();

    private final AtomicBoolean isPlanned = new AtomicBoolean();
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final ScheduledThreadPoolExecutor timer;

    Patience(BiConsumer<Entry, Problem> onProblem) {
        this.onProblem = onProblem;
        // Its thread is started with the first look.
        this.timer = new ScheduledThreadPoolExecutor(
                1, body -> Thread.ofPlatform().daemon().name("acp4j-patience").unstarted(body));
    }

    /** One interceptor at work. The lock guards that it is interrupted only while it is. */
    final class Watch {
        private final Thread thread = Thread.currentThread();
        private final Entry entry;
        private final Message message;
        private final @Nullable Watch outer;
        private final ReentrantLock lock = new ReentrantLock();
        private long since = System.nanoTime();
        private boolean isWaiting;
        private boolean isReported;
        private boolean isEnded;
        private boolean isDone;

        private Watch(Entry entry, Message message, @Nullable Watch outer) {
            this.entry = entry;
            this.message = message;
            this.outer = outer;
        }

        private void waiting(boolean value) {
            lock.lock();
            try {
                isWaiting = value;
                since = System.nanoTime();
            } finally {
                lock.unlock();
            }
        }

        /** Returns whether it was interrupted because it took too long. */
        boolean isEnded() {
            lock.lock();
            try {
                return isEnded;
            } finally {
                lock.unlock();
            }
        }

        /** It has returned. */
        void end() {
            lock.lock();
            try {
                isDone = true;
                if (isEnded) {
                    boolean unused = Thread.interrupted();
                }
            } finally {
                lock.unlock();
            }
            if (outer == null) {
                running.remove(thread);
            } else {
                running.put(thread, outer);
            }
        }

        /** Returns in how many nanoseconds to look again. */
        private long look() {
            Problem problem = null;
            long next;
            lock.lock();
            try {
                Bounds bounds = entry.patience();
                long own = System.nanoTime() - since;
                if (isDone || isWaiting) {
                    return Math.max(bounds.next(false, false), SHORTEST_LOOK_NANOS);
                }
                if (!isReported && isOver(bounds.report(), own)) {
                    isReported = true;
                    problem = stuck(own);
                }
                if (!isEnded && isOver(bounds.end(), own)) {
                    isEnded = true;
                    thread.interrupt();
                }
                next = bounds.next(isReported, isEnded);
                next = next < 0 ? Long.MAX_VALUE : Math.max(next - own, SHORTEST_LOOK_NANOS);
            } finally {
                lock.unlock();
            }
            if (problem != null) {
                onProblem.accept(entry, problem);
            }
            return next;
        }

        private boolean isOver(Duration bound, long own) {
            return !bound.isZero() && own >= bound.toNanos();
        }

        private Problem stuck(long own) {
            String at = Arrays.stream(thread.getStackTrace())
                    .limit(FRAMES)
                    .map(frame -> "\n  at " + frame)
                    .collect(Collectors.joining());
            return new Problem(
                    Problem.Kind.HANDLER_STUCK,
                    message.method() + (message.session().isEmpty() ? "" : " of session " + message.session())
                            + ": the interceptor of " + entry.proxy() + " has not returned for "
                            + TimeUnit.NANOSECONDS.toMillis(own) + " ms, and its session waits" + at,
                    null);
        }
    }

    /** An interceptor begins, on this thread. */
    Watch begin(Entry entry, Message message) {
        Watch watch = new Watch(entry, message, running.get(Thread.currentThread()));
        running.put(Thread.currentThread(), watch);
        long next = entry.patience().next(false, false);
        if (next >= 0) {
            plan(next);
        }
        return watch;
    }

    /** The interceptor of this thread, if there is one, begins to wait for others, or goes on. */
    void waiting(boolean value) {
        Watch watch = running.get(Thread.currentThread());
        if (watch != null) {
            watch.waiting(value);
        }
    }

    /** The connection has ended. */
    void end() {
        isOver.set(true);
        List<Runnable> unused = timer.shutdownNow();
    }

    private void plan(long nanos) {
        if (!isOver.get() && isPlanned.compareAndSet(false, true)) {
            try {
                var unused = timer.schedule(this::look, nanos, TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The connection has ended.
            }
        }
    }

    private void look() {
        isPlanned.set(false);
        long next = Long.MAX_VALUE;
        for (Watch watch : running.values()) {
            next = Math.min(next, watch.look());
        }
        if (next < Long.MAX_VALUE) {
            plan(next);
        }
    }
}
