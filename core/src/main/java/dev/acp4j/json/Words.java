package dev.acp4j.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Looks at eight bytes at a time. A class of its own because the first use of a {@link VarHandle} costs a millisecond,
 * which a process that sees only short strings need not pay.
 */
final class Words {
    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
    private static final long ONES = 0x0101010101010101L;
    private static final long HIGH = 0x8080808080808080L;

    private Words() {}

    /**
     * Returns the index of the first byte from {@code at} that is a quote, a backslash, a control character or not
     * ASCII, or {@code to}.
     */
    static int plainEnd(byte[] bytes, int at, int to) {
        int pos = at;
        for (; pos <= to - Long.BYTES; pos += Long.BYTES) {
            long word = (long) WORD.get(bytes, pos);
            // A byte's high bit is set by the subtraction when the byte was below ' ', or equal to the one it was
            // compared with.
            // Borrows disturb only bytes behind the first hit.
            long hits = (word | (word - ONES * ' ') | ((word ^ (ONES * '"')) - ONES) | ((word ^ (ONES * '\\')) - ONES))
                    & HIGH;
            if (hits != 0) {
                return pos + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (pos < to && JsonText.isPlain(bytes[pos])) {
            pos++;
        }
        return pos;
    }

    /** As {@link #plainEnd}, but a question mark ends it, too. */
    static int unquestionedEnd(byte[] bytes, int at, int to) {
        int pos = at;
        for (; pos <= to - Long.BYTES; pos += Long.BYTES) {
            long word = (long) WORD.get(bytes, pos);
            long hits = (word
                            | (word - ONES * ' ')
                            | ((word ^ (ONES * '"')) - ONES)
                            | ((word ^ (ONES * '\\')) - ONES)
                            | ((word ^ (ONES * '?')) - ONES))
                    & HIGH;
            if (hits != 0) {
                return pos + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (pos < to && JsonText.isPlain(bytes[pos]) && bytes[pos] != '?') {
            pos++;
        }
        return pos;
    }

    /** Returns the index of the first line feed or carriage return from {@code at}, or {@code to}. */
    static int lineBreak(byte[] bytes, int at, int to) {
        int pos = at;
        for (; pos <= to - Long.BYTES; pos += Long.BYTES) {
            long word = (long) WORD.get(bytes, pos);
            long hits = (((word ^ (ONES * '\n')) - ONES) | ((word ^ (ONES * '\r')) - ONES)) & ~word & HIGH;
            if (hits != 0) {
                return pos + (Long.numberOfTrailingZeros(hits) >>> 3);
            }
        }
        while (pos < to && bytes[pos] != '\n' && bytes[pos] != '\r') {
            pos++;
        }
        return pos;
    }
}
