package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the value of an optional or lenient member; generated codecs call it.
 *
 * <p>The lenient methods treat an invalid value as absent. They still throw for text that is not JSON, because the
 * reader cannot continue.
 */
public final class Members {
    private Members() {}

    /** Reads a value, or null. */
    public static <T> @Nullable T optional(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? null : codec.decode(in);
    }

    /** Reads a value; null is read as {@code absent}. */
    public static <T> T optional(JsonReader in, Codec<T> codec, T absent) {
        return in.tryNull() ? absent : codec.decode(in);
    }

    /** Reads a value; an invalid one is read as null. */
    public static <T> @Nullable T lenient(JsonReader in, Codec<T> codec) {
        if (in.tryNull()) {
            return null;
        }
        long start = in.mark();
        try {
            return codec.decode(in);
        } catch (JsonException e) {
            in.rewind(start);
            in.skip();
            return null;
        }
    }

    /** Reads a value; null or an invalid one is read as {@code absent}. */
    public static <T> T lenient(JsonReader in, Codec<T> codec, T absent) {
        T value = lenient(in, codec);
        return value == null ? absent : value;
    }

    /**
     * Reads the member that says which variant of a union an object is. Some libraries write it twice. Programs use the
     * first value or the last one, so all must be the same.
     *
     * @param tag the value that chose the variant; null when the object is not read as one
     * @param start where the object begins
     */
    public static void tag(JsonReader in, @Nullable String tag, String member, int start) {
        if (tag == null) {
            in.skip();
        } else if (!in.string().equals(tag)) {
            throw in.invalid("the member \"" + member + "\" is repeated with another value", start);
        }
    }

    /**
     * Returns a number to write.
     *
     * @throws IllegalArgumentException if it is outside of the bounds of the version
     */
    public static long bounded(String what, long value, long min, long max, int version) {
        if (value < min || value > max) {
            throw new IllegalArgumentException("version " + version + " of the protocol has " + what + " from " + min
                    + " to " + max + ", got " + value);
        }
        return value;
    }

    /** Creates the exception for a component without a member in a version. */
    public static IllegalArgumentException lacks(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol has no " + what);
    }

    /** Creates the exception for a component that must not be null in a version. */
    public static IllegalArgumentException requires(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol requires " + what);
    }
}
