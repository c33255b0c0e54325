package dev.acp4j.proxy;

import dev.acp4j.rpc.Time;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** The time of a chain, and its threads. Tests have those of their own. */
interface Clock extends AutoCloseable {
    /** Returns the time, in nanoseconds since some moment. */
    long nanoTime();

    /** Does something later, unless the clock is closed by then. It does not block for long. */
    void later(long nanos, Runnable action);

    @Override
    void close();

    /** Returns the time of the connections. */
    default Time time() {
        return Time.SYSTEM;
    }

    /** Starts a thread of the chain. */
    default Thread start(String name, Runnable body) {
        return Thread.ofPlatform().daemon().name(name).start(body);
    }

    /** Waits until something happens, but no longer; returns whether it has happened. */
    default boolean await(CountDownLatch what, long millis) throws InterruptedException {
        return what.await(millis, TimeUnit.MILLISECONDS);
    }

    /** Returns a time below a bound, so that what ended together does not start together. */
    default long jitter(long bound) {
        return ThreadLocalRandom.current().nextLong(bound);
    }

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
