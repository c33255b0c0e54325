package dev.acp4j.json;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * Scans eight bytes at a time. A separate class because the first use of a {@link VarHandle} costs a millisecond, which
 * a process with short strings only avoids.
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
            long others = others((long) WORD.get(bytes, pos)) & HIGH;
            if (others != 0) {
                return pos + (Long.numberOfTrailingZeros(others) >>> 3);
            }
        }
        while (pos < to && JsonText.isPlain(bytes[pos])) {
            pos++;
        }
        return pos;
    }

    /**
     * Returns the index of the first byte from {@code at} inside a string that is neither plain nor part of an escape
     * of two characters, or {@code to}.
     */
    static int simpleEnd(byte[] bytes, int at, int to) {
        int pos = plainEnd(bytes, at, to);
        while (pos < to - 1 && bytes[pos] == '\\' && JsonText.isShortEscape(bytes[pos + 1])) {
            pos = plainEnd(bytes, pos + 2, to);
        }
        return pos;
    }

    /**
     * Copies the bytes before {@link #plainEnd}, or before another byte that ends them, and returns the index of that.
     * The target must have space for all bytes up to {@code to}: some bytes after the copied ones may be overwritten.
     */
    static int copyPlain(byte[] bytes, int at, int to, byte other, byte[] out, int outAt) {
        long asWord = ONES * other;
        int shift = outAt - at;
        int pos = at;
        for (; pos <= to - Long.BYTES; pos += Long.BYTES) {
            long word = (long) WORD.get(bytes, pos);
            WORD.set(out, pos + shift, word);
            long others = (others(word) | ((word ^ asWord) - ONES)) & HIGH;
            if (others != 0) {
                return pos + (Long.numberOfTrailingZeros(others) >>> 3);
            }
        }
        for (; pos < to && JsonText.isPlain(bytes[pos]) && bytes[pos] != other; pos++) {
            out[pos + shift] = bytes[pos];
        }
        return pos;
    }

    /**
     * Sets the high bit of the first byte that is a quote, a backslash, a control character or not ASCII: the
     * subtraction does so if the byte is below ' ', or equal to the byte compared with. Borrows affect only bytes after
     * that.
     */
    private static long others(long word) {
        return word | (word - ONES * ' ') | ((word ^ (ONES * '"')) - ONES) | ((word ^ (ONES * '\\')) - ONES);
    }

    /** Returns the index of the first line feed or carriage return from {@code at}, or {@code to}. */
    static int lineBreak(byte[] bytes, int at, int to) {
        int pos = control(bytes, at, to);
        while (pos < to && bytes[pos] != '\n' && bytes[pos] != '\r') {
            pos = control(bytes, pos + 1, to);
        }
        return pos;
    }

    /** Returns the index of the first control character from {@code at}, or {@code to}: they are rare in JSON. */
    private static int control(byte[] bytes, int at, int to) {
        int pos = at;
        for (; pos <= to - 2 * Long.BYTES; pos += 2 * Long.BYTES) {
            long first = (long) WORD.get(bytes, pos);
            long second = (long) WORD.get(bytes, pos + Long.BYTES);
            long hits = (((first - ONES * ' ') & ~first) | ((second - ONES * ' ') & ~second)) & HIGH;
            if (hits != 0) {
                break;
            }
        }
        while (pos < to && (bytes[pos] < 0 || bytes[pos] >= ' ')) {
            pos++;
        }
        return pos;
    }
}
