package dev.acp4j.http;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * When something that was cut is tried again, and for how long. The pauses grow; they are short again when it has been
 * well for ten seconds, or a message has arrived, and not only because an attempt has succeeded. For one thread at a
 * time.
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

    /** An outage begins, which is borne as long as the user wants, and not longer than the server keeps streams. */
    void begins(Resumption resumption) {
        Duration retention = resumption.retention();
        boolean isLong = retention.isZero() || retention.compareTo(settings.patience) > 0;
        deadline = settings.time.nanoTime() + (isLong ? settings.patience : retention).toNanos();
    }

    long nanosLeft() {
        return deadline - settings.time.nanoTime();
    }

    /** It was well since then, and is not any more. */
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
