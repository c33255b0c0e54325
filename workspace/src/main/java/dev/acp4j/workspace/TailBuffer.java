package dev.acp4j.workspace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The end of an output, as text: output beyond the limit is dropped from the beginning, at a character boundary. Bytes
 * that are not UTF-8 become the replacement character. An incomplete character is not shown until its last bytes
 * arrive.
 *
 * <p>The text is stored as valid UTF-8, so that the limit applies to the text sent, replacements included. The lock
 * guards all fields; no blocking operation is done while holding it.
 */
final class TailBuffer {
    private static final int FIRST_CAPACITY = 8 << 10;
    private static final int CHUNK = 8 << 10;

    private final int limit;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final CharsetDecoder decoder = StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);

    @GuardedBy("lock")
    private final CharBuffer chars = CharBuffer.allocate(CHUNK);

    /** The bytes not decoded yet: an incomplete character. */
    @GuardedBy("lock")
    private byte[] rest = {};

    @GuardedBy("lock")
    private byte[] ring;

    @GuardedBy("lock")
    private int start;

    @GuardedBy("lock")
    private int length;

    @GuardedBy("lock")
    private boolean truncated;

    /** A snapshot of the kept output. */
    record Content(String text, boolean truncated) {}

    TailBuffer(int limit) {
        this.limit = limit;
        this.ring = new byte[Math.min(limit, FIRST_CAPACITY)];
    }

    void append(byte[] bytes, int count) {
        lock.lock();
        try {
            ByteBuffer in = ByteBuffer.allocate(rest.length + count);
            in.put(rest).put(bytes, 0, count).flip();
            decode(in, false);
            rest = new byte[in.remaining()];
            in.get(rest);
        } finally {
            lock.unlock();
        }
    }

    /** Ends the output: an incomplete character is now malformed. */
    void finish() {
        lock.lock();
        try {
            decode(ByteBuffer.wrap(rest), true);
            rest = new byte[0];
        } finally {
            lock.unlock();
        }
    }

    Content content() {
        lock.lock();
        try {
            byte[] copy = new byte[length];
            int first = Math.min(length, ring.length - start);
            System.arraycopy(ring, start, copy, 0, first);
            System.arraycopy(ring, 0, copy, first, length - first);
            return new Content(new String(copy, StandardCharsets.UTF_8), truncated);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void decode(ByteBuffer in, boolean last) {
        CoderResult result;
        do {
            chars.clear();
            result = decoder.decode(in, chars, last);
            keep(chars.flip().toString().getBytes(StandardCharsets.UTF_8));
        } while (result.isOverflow());
    }

    @GuardedBy("lock")
    private void keep(byte[] bytes) {
        int from = Math.max(0, bytes.length - limit);
        int kept = bytes.length - from;
        drop(Math.min(length, Math.max(0, length + kept - limit)));
        truncated |= from > 0;
        grow(length + kept);
        for (int copied = 0; copied < kept; ) {
            int at = (start + length) % ring.length;
            int step = Math.min(kept - copied, ring.length - at);
            System.arraycopy(bytes, from + copied, ring, at, step);
            copied += step;
            length += step;
        }
        while (truncated && length > 0 && isInsideCharacter(ring[start])) {
            drop(1);
        }
    }

    private static boolean isInsideCharacter(byte b) {
        return (b & 0xC0) == 0x80;
    }

    @GuardedBy("lock")
    private void drop(int count) {
        if (count > 0) {
            truncated = true;
            start = (start + count) % ring.length;
            length -= count;
        }
    }

    @GuardedBy("lock")
    private void grow(int needed) {
        if (needed > ring.length) {
            int doubled = (int) Math.min(limit, Math.max(needed, 2L * ring.length));
            // The content does not wrap around before the ring has its full size.
            ring = Arrays.copyOf(ring, doubled);
        }
    }
}
