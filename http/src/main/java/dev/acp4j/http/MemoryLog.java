package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory. It has no buffer before its first frame.
 *
 * <p>The lock guards everything. Nothing foreign runs under it.
 */
final class MemoryLog implements StreamLog {
    /**
     * How much is kept of what was sent.
     *
     * @param bytes how many bytes
     * @param frames how many frames
     * @param time how long
     */
    record Retention(long bytes, int frames, Duration time) {
        static final Retention NONE = new Retention(0, 0, Duration.ZERO);
    }

    /** What a frame takes beside its bytes. */
    static final int BYTES_BESIDE = 128;

    /** A frame, and when it was sent. */
    private static final class Slot {
        final Frame frame;
        long sentAt;

        Slot(Frame frame) {
            this.frame = frame;
        }
    }

    /** Stands where a frame was, so that its bytes are let go before the list is. */
    private static final Slot DROPPED = new Slot(new Frame(0, RawJson.NULL));

    private final Retention retention;
    private final Time time;
    private final SecureRandom random;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private List<Slot> slots = List.of();

    /** The slots before this one have been dropped. */
    @GuardedBy("lock")
    private int first;

    /** The first slot that was not sent. */
    @GuardedBy("lock")
    private int unsent;

    @GuardedBy("lock")
    private long keptBytes;

    @GuardedBy("lock")
    private long unsentBytes;

    /** The last number that was dropped. */
    @GuardedBy("lock")
    private long dropped;

    @GuardedBy("lock")
    private long sent;

    @GuardedBy("lock")
    private long last;

    @GuardedBy("lock")
    private String epoch;

    MemoryLog(Retention retention, Time time, SecureRandom random) {
        this.retention = retention;
        this.time = time;
        this.random = random;
        this.epoch = Cursor.newEpoch(random);
    }

    /**
     * Becomes what an earlier log was: to be called once, before everything else.
     *
     * @param before the number of the last frame that was dropped; 0 for none
     * @param sentUpTo the number of the last frame that was sent; 0 for none
     */
    void restore(String earlier, long before, List<Frame> frames, long sentUpTo) {
        lock.lock();
        try {
            epoch = earlier;
            dropped = before;
            last = before;
            frames.forEach(this::append);
            sent(sentUpTo);
            sent = Math.max(sent, sentUpTo);
            last = Math.max(last, sentUpTo);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of the last frame that was dropped; 0 when none was. */
    long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String epoch() {
        lock.lock();
        try {
            return epoch;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void append(Frame frame) {
        lock.lock();
        try {
            if (frame.number() <= last) {
                throw new IllegalArgumentException("frame " + frame.number() + " behind frame " + last);
            }
            if (slots.isEmpty()) {
                slots = new ArrayList<>();
            }
            slots.add(new Slot(frame));
            last = frame.number();
            unsentBytes += size(frame);
        } finally {
            lock.unlock();
        }
    }

    private static int size(Frame frame) {
        return frame.json().length() + BYTES_BESIDE;
    }

    @Override
    public List<Frame> read(long after, long atMost) {
        lock.lock();
        try {
            List<Frame> frames = new ArrayList<>();
            long bytes = 0;
            for (int i = indexAfter(after); i < slots.size() && (frames.isEmpty() || bytes < atMost); i++) {
                Frame frame = slots.get(i).frame;
                frames.add(frame);
                bytes += frame.json().length();
            }
            return frames;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the index of the first slot with a larger number. */
    @GuardedBy("lock")
    private int indexAfter(long number) {
        int from = first;
        int to = slots.size();
        while (from < to) {
            int middle = (from + to) >>> 1;
            if (slots.get(middle).frame.number() <= number) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from;
    }

    @Override
    public Place find(long number) {
        lock.lock();
        try {
            if (number == dropped && number > 0) {
                return Place.KNOWN;
            }
            if (number < dropped) {
                return Place.EXPIRED;
            }
            int index = indexAfter(number) - 1;
            return index >= first && slots.get(index).frame.number() == number ? Place.KNOWN : Place.UNKNOWN;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sent(long number) {
        lock.lock();
        try {
            long now = time.nanoTime();
            while (unsent < slots.size() && slots.get(unsent).frame.number() <= number) {
                Slot slot = slots.get(unsent++);
                slot.sentAt = now;
                sent = slot.frame.number();
                int size = size(slot.frame);
                unsentBytes -= size;
                keptBytes += size;
            }
            trim(now);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long lastSent() {
        lock.lock();
        try {
            return sent;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long last() {
        lock.lock();
        try {
            return last;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long unsentBytes() {
        lock.lock();
        try {
            return unsentBytes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long keptBytes() {
        lock.lock();
        try {
            return keptBytes;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void trim() {
        lock.lock();
        try {
            trim(time.nanoTime());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Long oldest() {
        lock.lock();
        try {
            return first < unsent ? slots.get(first).sentAt : null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void dropOldest() {
        lock.lock();
        try {
            if (first < unsent) {
                drop();
                release();
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void trim(long now) {
        while (first < unsent
                && (keptBytes > retention.bytes
                        || unsent - first > retention.frames
                        || now - slots.get(first).sentAt > retention.time.toNanos())) {
            drop();
        }
        release();
    }

    @GuardedBy("lock")
    private void drop() {
        Frame frame = slots.set(first++, DROPPED).frame;
        dropped = frame.number();
        keptBytes -= size(frame);
    }

    /** Gives back the room of what was dropped, all of it when nothing is left. */
    @GuardedBy("lock")
    private void release() {
        if (first == slots.size()) {
            slots = List.of();
        } else if (first > 32 && first > slots.size() / 2) {
            slots = new ArrayList<>(slots.subList(first, slots.size()));
        } else {
            return;
        }
        unsent -= first;
        first = 0;
    }

    @Override
    public void restart() {
        lock.lock();
        try {
            slots = List.of();
            first = 0;
            unsent = 0;
            keptBytes = 0;
            unsentBytes = 0;
            dropped = 0;
            last = sent;
            epoch = Cursor.newEpoch(random);
        } finally {
            lock.unlock();
        }
    }
}
