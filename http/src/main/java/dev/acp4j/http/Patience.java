package dev.acp4j.http;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The retry logic of streams, sockets and new connections: when to retry after an outage, and for how long. The pauses
 * between retries grow; they are short again when the connection was open for ten seconds, or a message has arrived,
 * and not only because a retry has succeeded. For one thread at a time.
 */
final class Patience {
    private static final Duration WELL = Duration.ofSeconds(10);

    private final RemoteAgent.Settings settings;
    private final Backoff backoff;
    private long deadline;

    Patience(RemoteAgent.Settings settings) {
        this.settings = settings;
        this.backoff = new Backoff(settings.random);
    }

    /** Begins an outage; retries end with the user's patience, or when the server keeps the streams no more. */
    void begins(Resumption resumption) {
        Duration retention = resumption.retention();
        boolean isLong = retention.isZero() || retention.compareTo(settings.patience) > 0;
        deadline = settings.time.nanoTime() + (isLong ? settings.patience : retention).toNanos();
    }

    long nanosLeft() {
        return deadline - settings.time.nanoTime();
    }

    /** The connection was open since then and has ended. */
    void ends(long since) {
        if (settings.time.nanoTime() - since >= WELL.toNanos()) {
            backoff.reset();
        }
    }

    /** A message has arrived. */
    void arrived() {
        backoff.reset();
    }

    /**
     * Waits until it is time for another attempt, which it is at once when the machine wakes from a sleep.
     *
     * @param atLeast how long the server asks to wait, in nanoseconds
     * @param lock guards what {@code isWanted} reads
     * @param changed signalled when that may have changed
     * @return whether to try again; false when that is not wanted any more, or the outage has lasted too long
     */
    boolean pause(long atLeast, ReentrantLock lock, Condition changed, BooleanSupplier isWanted)
            throws InterruptedException {
        Wakefulness wakefulness = new Wakefulness(settings);
        lock.lockInterruptibly();
        try {
            long since = settings.time.nanoTime();
            long nanos = Math.min(backoff.nextNanos(atLeast), deadline - since);
            while (isWanted.getAsBoolean()) {
                long left = nanos - (settings.time.nanoTime() - since);
                if (left <= 0 || wakefulness.hasSlept()) {
                    return nanosLeft() > 0;
                }
                settings.time.await(lock, changed, Math.min(left, Wakefulness.TICK_NANOS));
            }
            return false;
        } finally {
            lock.unlock();
        }
    }
}
