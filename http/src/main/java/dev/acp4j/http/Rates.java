package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How many requests each principal may still send: a bucket that holds those of a minute and is filled steadily. The
 * lock guards the buckets.
 */
final class Rates {
    private static final long MINUTE = Duration.ofMinutes(1).toNanos();

    private static final class Bucket {
        double tokens;
        long filledAt;
    }

    private final int perMinute;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<Principal, Bucket> buckets = new HashMap<>();

    /** @param perMinute how many; 0 for any number */
    Rates(int perMinute, Time time) {
        this.perMinute = perMinute;
        this.time = time;
    }

    /** Takes one request. Returns in how many seconds the next one may come; 0 when this one may go on. */
    long take(Principal principal) {
        if (perMinute == 0) {
            return 0;
        }
        lock.lock();
        try {
            Bucket bucket = buckets.computeIfAbsent(principal, name -> full());
            fill(bucket);
            if (bucket.tokens >= 1) {
                bucket.tokens--;
                return 0;
            }
            return Math.max(1, (long) Math.ceil((1 - bucket.tokens) * 60 / perMinute));
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
                return bucket.tokens >= perMinute;
            });
        } finally {
            lock.unlock();
        }
    }

    private Bucket full() {
        Bucket bucket = new Bucket();
        bucket.tokens = perMinute;
        bucket.filledAt = time.nanoTime();
        return bucket;
    }

    private void fill(Bucket bucket) {
        long now = time.nanoTime();
        bucket.tokens = Math.min(perMinute, bucket.tokens + (double) (now - bucket.filledAt) * perMinute / MINUTE);
        bucket.filledAt = now;
    }
}
