package dev.acp4j.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Ends a run that takes too long: asks for its end first, and after some time interrupts it. */
final class Deadline implements AutoCloseable {
    /** How long an agent has to confirm that it has stopped. */
    private static final Duration SETTLE = Duration.ofSeconds(5);

    private final CountDownLatch over = new CountDownLatch(1);
    private volatile boolean expired;

    /**
     * Sets a deadline for the calling thread.
     *
     * @param limit how long; null for no limit
     * @param ask called when the time is over
     */
    Deadline(@Nullable Duration limit, Runnable ask) {
        if (limit != null) {
            Thread run = Thread.currentThread();
            Thread.ofVirtual().name("acp-deadline").start(() -> watch(limit, ask, run));
        }
    }

    /** Whether the time was over before the run was. */
    boolean isExpired() {
        return expired;
    }

    /** The run is over. */
    @Override
    public void close() {
        over.countDown();
    }

    private void watch(Duration limit, Runnable ask, Thread run) {
        try {
            if (over.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return;
            }
            expired = true;
            ask.run();
            if (!over.await(SETTLE.toNanos(), TimeUnit.NANOSECONDS)) {
                run.interrupt();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
