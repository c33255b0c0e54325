package dev.acp4j.http;

import java.time.Duration;
import java.util.function.DoubleSupplier;

/**
 * How long to wait before the next retry: twice as long each time, of which a random part is taken, so that the clients
 * of a server that was restarted do not all come back at once. For one thread.
 */
final class Backoff {
    static final Duration SHORTEST = Duration.ofMillis(250);
    static final Duration LONGEST = Duration.ofSeconds(30);

    private final DoubleSupplier random;
    private long limitNanos = SHORTEST.toNanos();

    /** @param random returns numbers from 0 to 1 */
    Backoff(DoubleSupplier random) {
        this.random = random;
    }

    /**
     * Returns the nanoseconds to wait.
     *
     * @param atLeast what the server asked for, in nanoseconds
     */
    long nextNanos(long atLeast) {
        long nanos = (long) (limitNanos * random.getAsDouble());
        limitNanos = Math.min(LONGEST.toNanos(), limitNanos * 2);
        return Math.max(atLeast, nanos);
    }

    /** The attempt was good for something: the next wait is short again. */
    void reset() {
        limitNanos = SHORTEST.toNanos();
    }
}
