package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.schema.codec.Members;
import org.jspecify.annotations.Nullable;

/** Reads and writes a {@link Change} and what goes into a {@link Rest}; generated codecs call it. */
public final class ProtocolMembers {
    private ProtocolMembers() {}

    /** Reads what is said about a value that exists already: null clears it. */
    public static <T> Change<T> change(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? Change.clear() : Change.replace(codec.decode(in));
    }

    /** Reads what is said about a value that exists already: null clears it, a wrong value says nothing. */
    public static <T> Change<T> lenientChange(JsonReader in, Codec<T> codec) {
        if (in.tryNull()) {
            return Change.clear();
        }
        T value = Members.lenient(in, codec);
        return value == null ? Change.keep() : Change.replace(value);
    }

    /** Reads metadata, which is never an error. */
    public static Rest.@Nullable Builder meta(JsonReader in, Rest.@Nullable Builder rest) {
        Meta meta = Meta.EMPTY;
        if (in.kind() == JsonReader.Kind.OBJECT) {
            meta = Meta.of(in.raw());
        } else {
            in.skip();
        }
        return rest == null && meta.isEmpty() ? null : (rest == null ? Rest.builder() : rest).meta(meta);
    }

    /** Keeps a member that is not known. */
    public static Rest.Builder unknown(JsonReader in, Rest.@Nullable Builder rest) {
        String name = in.name();
        return (rest == null ? Rest.builder() : rest).add(name, in.raw());
    }

    /** Returns what was kept, if anything was. */
    public static Rest rest(Rest.@Nullable Builder rest) {
        return rest == null ? Rest.NONE : rest.build();
    }

    /** Writes a member that says something about a value that exists already; nothing when it is to be kept. */
    public static <T> void write(JsonWriter out, Names names, int index, Change<T> change, Codec<T> codec) {
        if (change instanceof Change.Replace<T> replace) {
            out.name(names, index);
            codec.encode(replace.value(), out);
        } else if (!change.isKeep()) {
            out.name(names, index);
            out.nullValue();
        }
    }
}
