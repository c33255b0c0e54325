package dev.acp4j.mcp;

import java.time.Duration;

/**
 * The pause before something is begun again that has ended by itself: twice as long each time, up to a minute, and as
 * short as at first when it has lived for a while. For one thread at a time.
 */
final class Backoff {
    private static final long LIVED = Duration.ofSeconds(10).toNanos();
    private static final long LONGEST = Duration.ofMinutes(1).toNanos();

    private long pause;

    /**
     * Returns the nanoseconds to wait.
     *
     * @param first the shortest pause
     * @param livedNanos for how long it went well
     */
    long next(Duration first, long livedNanos) {
        pause = pause == 0 || livedNanos >= LIVED ? first.toNanos() : pause * 2;
        pause = Math.min(LONGEST, pause);
        return pause;
    }
}
