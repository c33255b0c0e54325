package dev.acp4j.schema;

import dev.acp4j.schema.codec.Range;
import org.jspecify.annotations.Nullable;

/** Checks of numbers that people put into records; what comes over the wire has passed {@link Range} before. */
final class Bounds {
    private Bounds() {}

    /** Refuses a number that does not fit an unsigned one of 16 bits. */
    static void uint16(String name, long value) {
        check(name, value, Range.UINT16);
    }

    /** Refuses a number that is there and does not fit an unsigned one of 32 bits. */
    static void uint32(String name, @Nullable Long value) {
        if (value != null) {
            check(name, value, Range.UINT32);
        }
    }

    /** Refuses a number that is there and negative. */
    static void unsigned(String name, @Nullable Long value) {
        if (value != null) {
            check(name, value, Long.MAX_VALUE);
        }
    }

    /** Refuses a number that is there and that JSON cannot express. */
    static void finite(String name, @Nullable Double value) {
        if (value != null && !Double.isFinite(value)) {
            throw new IllegalArgumentException(name + ": expected a finite number, got " + value);
        }
    }

    private static void check(String name, long value, long max) {
        if (value < 0 || value > max) {
            throw new IllegalArgumentException(name + ": expected a number from 0 to " + max + ", got " + value);
        }
    }
}
