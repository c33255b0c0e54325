package dev.acp4j.schema;

import dev.acp4j.schema.codec.Range;
import org.jspecify.annotations.Nullable;

/** Checks numbers passed to constructors of records; numbers from the wire are checked by {@link Range}. */
final class Bounds {
    private Bounds() {}

    /** Rejects a number that is not an unsigned 16-bit integer. */
    static void uint16(String name, long value) {
        check(name, value, Range.UINT16);
    }

    /** Rejects a number that is not from 1 to the greatest unsigned 16-bit integer. */
    static void positiveUint16(String name, long value) {
        if (value < 1 || value > Range.UINT16) {
            throw new IllegalArgumentException(
                    name + ": expected a number from 1 to " + Range.UINT16 + ", got " + value);
        }
    }

    /** Rejects a number, if present, that is not an unsigned 32-bit integer. */
    static void uint32(String name, @Nullable Long value) {
        if (value != null) {
            check(name, value, Range.UINT32);
        }
    }

    /** Rejects a number, if present, that is negative. */
    static void unsigned(String name, @Nullable Long value) {
        if (value != null) {
            check(name, value, Long.MAX_VALUE);
        }
    }

    /** Rejects a number, if present, that JSON cannot express. */
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
