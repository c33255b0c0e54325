package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The keys by which a message of a connection that comes twice is taken once, with what each was answered.
 *
 * <p>The lock guards the keys. It is never held while a message is taken.
 */
final class Keys {
    private static final int MOST = 10_000;
    private static final Duration KEPT = Duration.ofMinutes(10);

    private static final class Seen {
        final String digest;
        final long at;

        /** 0 while the message is being taken. */
        int status;

        Seen(String digest, long at) {
            this.digest = digest;
            this.at = at;
        }
    }

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition answered = lock.newCondition();

    @GuardedBy("lock")
    private final Map<String, Seen> seen = new LinkedHashMap<>();

    Keys(Time time) {
        this.time = time;
    }

    /**
     * Returns the status that the first message with the key was answered with, once it was; 422 when that was another
     * message; 0 when there was none: then {@link #end} follows.
     */
    int begin(String key, RawJson body) throws InterruptedException {
        String digest = digest(body);
        lock.lockInterruptibly();
        try {
            long now = time.nanoTime();
            var oldest = seen.values().iterator();
            while (oldest.hasNext()) {
                Seen first = oldest.next();
                if (seen.size() < MOST && now - first.at < KEPT.toNanos()) {
                    break;
                }
                oldest.remove();
            }
            Seen before = seen.get(key);
            if (before == null) {
                seen.put(key, new Seen(digest, now));
                return 0;
            }
            if (!before.digest.equals(digest)) {
                return 422;
            }
            while (before.status == 0) {
                answered.await();
            }
            return before.status;
        } finally {
            lock.unlock();
        }
    }

    /** Notes what a message was answered with; one that was not taken may come again. */
    void end(String key, int status) {
        lock.lock();
        try {
            Seen taken = status == 202 ? seen.get(key) : seen.remove(key);
            if (taken != null) {
                taken.status = status;
            }
            answered.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static String digest(RawJson body) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(body.bytes(), body.from(), body.length());
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
