package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads the value of a member that need not be there, or need not be right; generated codecs call it.
 *
 * <p>The lenient ones take a value that does not fit for absent. They still throw for a text that is not JSON, as that
 * leaves nothing to go on with.
 */
public final class Members {
    private Members() {}

    /** Reads a value, or null. */
    public static <T> @Nullable T optional(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? null : codec.decode(in);
    }

    /** Reads a value, for which null stands for {@code absent}. */
    public static <T> T optional(JsonReader in, Codec<T> codec, T absent) {
        return in.tryNull() ? absent : codec.decode(in);
    }

    /** Reads a value; null for a wrong one. */
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

    /** Reads a value; {@code absent} for null or a wrong one. */
    public static <T> T lenient(JsonReader in, Codec<T> codec, T absent) {
        T value = lenient(in, codec);
        return value == null ? absent : value;
    }

    /** Makes the exception for a component that a version has no member for. */
    public static IllegalArgumentException lacks(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol has no " + what);
    }

    /** Makes the exception for a component that must not be null in a version. */
    public static IllegalArgumentException requires(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol requires " + what);
    }
}
