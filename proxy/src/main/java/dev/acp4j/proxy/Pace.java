package dev.acp4j.proxy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How fast messages may be read: so many a second, and as many at once. Who is faster waits, so that whoever writes
 * waits, too. For use by one thread.
 */
final class Pace {
    private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final long nanosEach;
    private final Clock clock;
    private final Runnable onSlowed;

    /** When the messages read so far would have been due, had they come evenly. */
    private long due;

    private boolean isSlowed;

    /** @param onSlowed runs when a message waits for the first time */
    Pace(int perSecond, Clock clock, Runnable onSlowed) {
        this.nanosEach = BURST_NANOS / perSecond;
        this.clock = clock;
        this.onSlowed = onSlowed;
        this.due = clock.nanoTime();
    }

    /** Waits until one more message may be read. */
    void await() throws InterruptedException {
        long now = clock.nanoTime();
        due = Math.max(due - now, 0) + now + nanosEach;
        long wait = due - BURST_NANOS - now;
        if (wait <= 0) {
            return;
        }
        if (!isSlowed) {
            isSlowed = true;
            onSlowed.run();
        }
        CountDownLatch over = new CountDownLatch(1);
        clock.later(wait, over::countDown);
        over.await();
    }
}
