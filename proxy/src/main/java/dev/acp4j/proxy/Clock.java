package dev.acp4j.proxy;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time of a chain. Tests have one of their own. */
interface Clock extends AutoCloseable {
    /** Returns the time, in nanoseconds since some moment. */
    long nanoTime();

    /** Does something later, unless the clock is closed by then. It does not block for long. */
    void later(long nanos, Runnable action);

    @Override
    void close();

    /** Returns the clock of the machine. */
    static Clock system() {
        ScheduledThreadPoolExecutor timer = new ScheduledThreadPoolExecutor(
                1,
                body -> Thread.ofPlatform().daemon().name("acp4j-chain-timer").unstarted(body));
        return new Clock() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void later(long nanos, Runnable action) {
                try {
                    var unused = timer.schedule(action, nanos, TimeUnit.NANOSECONDS);
                } catch (RejectedExecutionException e) {
                    // The chain has ended.
                }
            }

            @Override
            public void close() {
                timer.shutdownNow();
            }
        };
    }
}
