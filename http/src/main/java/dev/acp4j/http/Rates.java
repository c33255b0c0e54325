package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How much each principal may still send: a bucket that holds what is for a minute and is filled steadily. The lock
 * guards the buckets.
 */
final class Rates {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private static final class Bucket {
        /** Below zero after something large. */
        double left;

        long filledAt;
    }

    private final long perMinute;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Principal, Bucket> buckets = new HashMap<>();

    /** @param perMinute how much; 0 for any amount */
    Rates(long perMinute, Time time) {
        this.perMinute = perMinute;
        this.time = time;
    }

    /**
     * Takes an amount. One that is larger than the bucket needs a full one.
     *
     * @return in how many seconds it may come again, when nothing was taken; 0 when it was
     */
    long take(Principal principal, long amount) {
        return take(principal, Math.min(amount, perMinute), amount);
    }

    /** Takes an amount, whether there is enough or not. What comes next waits for it. */
    void charge(Principal principal, long amount) {
        long unused = take(principal, Long.MIN_VALUE, amount);
    }

    private long take(Principal principal, long needed, long amount) {
        if (perMinute == 0) {
            return 0;
        }
        lock.lock();
        try {
            Bucket bucket = buckets.computeIfAbsent(principal, name -> full());
            fill(bucket);
            if (bucket.left >= needed) {
                bucket.left -= amount;
                return 0;
            }
            return Math.max(1, (long) Math.ceil((needed - bucket.left) * 60 / perMinute));
        } finally {
            lock.unlock();
        }
    }

    /** Forgets who has not sent anything for a while. */
    void tick() {
        lock.lock();
        try {
            buckets.values().removeIf(bucket -> {
                fill(bucket);
                return bucket.left >= perMinute;
            });
        } finally {
            lock.unlock();
        }
    }

    private Bucket full() {
        Bucket bucket = new Bucket();
        bucket.left = perMinute;
        bucket.filledAt = time.nanoTime();
        return bucket;
    }

    private void fill(Bucket bucket) {
        long now = time.nanoTime();
        bucket.left = Math.min((double) perMinute, bucket.left + (double) (now - bucket.filledAt) * perMinute / MINUTE);
        bucket.filledAt = now;
    }
}
