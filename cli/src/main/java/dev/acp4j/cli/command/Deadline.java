package dev.acp4j.cli.command;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The deadline of a whole run. */
public final class Deadline implements AutoCloseable {
    /** The timeout for an agent to confirm that it has stopped. */
    private static final Duration SETTLE = Duration.ofSeconds(5);

    private final CountDownLatch over = new CountDownLatch(1);
    private final @Nullable Duration limit;
    private final long start = System.nanoTime();

    /** @param limit the time from now; null for no limit */
    public Deadline(@Nullable Duration limit) {
        this.limit = limit;
    }

    /** Returns the remaining time, or the given time if that is less. */
    public Duration left(Duration most) {
        if (limit == null) {
            return most;
        }
        Duration left = limit.minusNanos(System.nanoTime() - start);
        return left.compareTo(most) < 0 ? left : most;
    }

    /** Returns whether the deadline has passed. */
    public boolean isExpired() {
        return limit != null && System.nanoTime() - start >= limit.toNanos();
    }

    /** Returns the time for people. */
    public String text() {
        return limit == null ? "" : Durations.text(limit);
    }

    /**
     * Ends the run of the calling thread at the deadline: first requests its end, and interrupts it after some time.
     */
    public void watch(Runnable ask) {
        if (limit != null) {
            Thread run = Thread.currentThread();
            Thread.ofPlatform().daemon().name("acp-deadline").start(() -> watch(limit, ask, run));
        }
    }

    /** The run is over. */
    @Override
    public void close() {
        over.countDown();
    }

    private void watch(Duration most, Runnable ask, Thread run) {
        try {
            if (over.await(left(most).toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            try {
                ask.run();
            } finally {
                if (!over.await(SETTLE.toNanos(), TimeUnit.NANOSECONDS)) {
                    run.interrupt();
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
