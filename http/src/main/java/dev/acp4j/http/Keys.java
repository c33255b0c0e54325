package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;

/**
 * The keys by which a message of a connection that comes twice is taken once, with what each was answered. Only digests
 * are kept.
 *
 * <p>The lock guards the keys. It is never held while a message is taken.
 */
final class Keys {
    /** What {@link #begin} returns for the first message with its key. */
    static final int FIRST = 0;

    /** What {@link #begin} returns while the first message with the key is being taken. */
    static final int TAKING = -1;

    /** What {@link #await} returns when the client waits no more. */
    static final int ABANDONED = -2;

    static final int REUSED = 422;
    private static final int MOST = 10_000;
    private static final Duration KEPT = Duration.ofMinutes(10);

    /** What a message was answered with, and when. */
    private record Answered(String digest, int status, long at) {}

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    /** Signalled when a message was taken or not, and when somebody waits no more. */
    private final Condition changed = lock.newCondition();

    /** The digests of messages that are being taken. */
    @GuardedBy("lock")
    private final Map<String, String> taking = new HashMap<>();

    /** In the order of their answers. */
    @GuardedBy("lock")
    private final Map<String, Answered> answered = new LinkedHashMap<>();

    Keys(Time time) {
        this.time = time;
    }

    /**
     * Returns the status that the first message with the key was answered with; {@link #REUSED} when that was another
     * message; {@link #FIRST} when there was none, or it was not taken: then {@link #end} follows; {@link #TAKING} when
     * that is not known yet.
     */
    int begin(String key, RawJson body) {
        String name = digest(key.getBytes(StandardCharsets.UTF_8));
        String digest = digest(body);
        lock.lock();
        try {
            evict();
            Answered before = answered.get(name);
            String known = before == null ? taking.putIfAbsent(name, digest) : before.digest;
            if (known == null) {
                return FIRST;
            }
            return !known.equals(digest) ? REUSED : before == null ? TAKING : before.status;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns what {@link #begin} does, once it is known.
     *
     * @param abandoned whether the client waits no more; {@link #wake} has it looked at again
     */
    int await(String key, RawJson body, BooleanSupplier abandoned) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!abandoned.getAsBoolean()) {
                // Whatever became of the one before: if it was not taken, this is the first now.
                int status = begin(key, body);
                if (status != TAKING) {
                    return status;
                }
                changed.await();
            }
            return ABANDONED;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void evict() {
        long now = time.nanoTime();
        Iterator<Answered> oldest = answered.values().iterator();
        while (oldest.hasNext()) {
            Answered first = oldest.next();
            if (answered.size() < MOST && now - first.at < KEPT.toNanos()) {
                return;
            }
            oldest.remove();
        }
    }

    /** Notes what a message was answered with; one that was not taken may come again. */
    void end(String key, int status) {
        String name = digest(key.getBytes(StandardCharsets.UTF_8));
        lock.lock();
        try {
            String digest = taking.remove(name);
            if (digest != null && status == 202) {
                answered.put(name, new Answered(digest, status, time.nanoTime()));
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Has those that wait look again. */
    void wake() {
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static String digest(RawJson body) {
        return digest(body.bytes(), body.from(), body.length());
    }

    private static String digest(byte[] bytes) {
        return digest(bytes, 0, bytes.length);
    }

    private static String digest(byte[] bytes, int from, int length) {
        try {
            MessageDigest sha = MessageDigest.getInstance("SHA-256");
            sha.update(bytes, from, length);
            return HexFormat.of().formatHex(sha.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
