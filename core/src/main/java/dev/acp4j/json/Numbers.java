package dev.acp4j.json;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;

/** Converts valid number tokens to Java numbers. */
final class Numbers {
    /** A {@code long} can hold any number with this many digits. */
    private static final int SAFE_DIGITS = 18;

    /**
     * Up to this many digits, and up to this power of ten, a {@code double} is exact, so one division rounds correctly.
     */
    private static final int EXACT_DIGITS = 15;

    /** No 64-bit integer needs more digits; converting a longer, possibly hostile literal would be expensive. */
    private static final int LONGEST_LITERAL = 64;

    private static final double[] POWERS = {
        1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15
    };

    private Numbers() {}

    /**
     * Returns the exact value; {@code 1.0} and {@code 1e3} are integers too.
     *
     * @throws ArithmeticException if it is not an integer of 64 bits
     */
    static long int64(byte[] bytes, int from, int to) {
        boolean negative = bytes[from] == '-';
        int start = negative ? from + 1 : from;
        if (to - start > SAFE_DIGITS) {
            return slowInt64(bytes, from, to);
        }
        long value = 0;
        for (int i = start; i < to; i++) {
            int digit = bytes[i] - '0';
            if (digit < 0 || digit > 9) {
                return slowInt64(bytes, from, to);
            }
            value = value * 10 + digit;
        }
        return negative ? -value : value;
    }

    private static long slowInt64(byte[] bytes, int from, int to) {
        if (to - from > LONGEST_LITERAL) {
            throw new ArithmeticException("too long");
        }
        String literal = new String(bytes, from, to - from, StandardCharsets.ISO_8859_1);
        try {
            return isPlainInteger(bytes, from, to) ? Long.parseLong(literal) : new BigDecimal(literal).longValueExact();
        } catch (NumberFormatException outOfRange) {
            throw new ArithmeticException("out of range");
        }
    }

    static boolean isPlainInteger(byte[] bytes, int from, int to) {
        for (int i = from; i < to; i++) {
            if (bytes[i] == '.' || bytes[i] == 'e' || bytes[i] == 'E') {
                return false;
            }
        }
        return true;
    }

    /** Returns the nearest double; infinite if the number is out of range. */
    static double number(byte[] bytes, int from, int to) {
        boolean negative = bytes[from] == '-';
        long digits = 0;
        int count = 0;
        int point = -1;
        for (int i = negative ? from + 1 : from; i < to; i++) {
            byte b = bytes[i];
            if (b == '.') {
                point = i;
            } else if (b > '9' || b == '-' || b == '+' || ++count > EXACT_DIGITS) {
                return Double.parseDouble(new String(bytes, from, to - from, StandardCharsets.ISO_8859_1));
            } else {
                digits = digits * 10 + (b - '0');
            }
        }
        double value = point < 0 ? digits : digits / POWERS[to - point - 1];
        return negative ? -value : value;
    }
}
