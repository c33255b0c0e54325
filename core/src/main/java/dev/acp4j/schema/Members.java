package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import org.jspecify.annotations.Nullable;

/**
 * Reads the value of a member that need not be there, or need not be right; generated codecs call it.
 *
 * <p>The lenient ones take a value that does not fit for absent. They still throw for a text that is not JSON, as that
 * leaves nothing to go on with.
 */
final class Members {
    private Members() {}

    /** Reads a value, or null. */
    static <T> @Nullable T optional(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? null : codec.decode(in);
    }

    /** Reads a value, for which null stands for {@code absent}. */
    static <T> T optional(JsonReader in, Codec<T> codec, T absent) {
        return in.tryNull() ? absent : codec.decode(in);
    }

    /** Reads a value; null for a wrong one. */
    static <T> @Nullable T lenient(JsonReader in, Codec<T> codec) {
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
    static <T> T lenient(JsonReader in, Codec<T> codec, T absent) {
        T value = lenient(in, codec);
        return value == null ? absent : value;
    }

    /** Reads what is said about a value that exists already: null clears it. */
    static <T> Change<T> change(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? Change.clear() : Change.replace(codec.decode(in));
    }

    /** Reads what is said about a value that exists already: null clears it, a wrong value says nothing. */
    static <T> Change<T> lenientChange(JsonReader in, Codec<T> codec) {
        if (in.tryNull()) {
            return Change.clear();
        }
        T value = lenient(in, codec);
        return value == null ? Change.keep() : Change.replace(value);
    }

    /** Reads metadata, which is never an error. */
    static Rest.@Nullable Builder meta(JsonReader in, Rest.@Nullable Builder rest) {
        Meta meta = Meta.EMPTY;
        if (in.kind() == JsonReader.Kind.OBJECT) {
            meta = Meta.of(in.raw());
        } else {
            in.skip();
        }
        return rest == null && meta.isEmpty() ? null : (rest == null ? Rest.builder() : rest).meta(meta);
    }

    /** Keeps a member that is not known. */
    static Rest.Builder unknown(JsonReader in, Rest.@Nullable Builder rest) {
        String name = in.name();
        return (rest == null ? Rest.builder() : rest).add(name, in.raw());
    }

    /** Returns what was kept, if anything was. */
    static Rest rest(Rest.@Nullable Builder rest) {
        return rest == null ? Rest.NONE : rest.build();
    }

    /** Makes the exception for a component that a version has no member for. */
    static IllegalArgumentException lacks(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol has no " + what);
    }

    /** Makes the exception for a component that must not be null in a version. */
    static IllegalArgumentException requires(String what, int version) {
        return new IllegalArgumentException("version " + version + " of the protocol requires " + what);
    }

    /** Writes a member that says something about a value that exists already; nothing when it is to be kept. */
    static <T> void write(JsonWriter out, Names names, int index, Change<T> change, Codec<T> codec) {
        if (change instanceof Change.Replace<T> replace) {
            out.name(names, index);
            codec.encode(replace.value(), out);
        } else if (!change.isKeep()) {
            out.name(names, index);
            out.nullValue();
        }
    }
}
