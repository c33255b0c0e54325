package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Members;
import org.jspecify.annotations.Nullable;

/** Reads and writes a {@link Change} and the members of a {@link Rest}; generated codecs call it. */
public final class ProtocolMembers {
    private ProtocolMembers() {}

    /** Reads a change of an existing value: null clears it. */
    public static <T> Change<T> change(JsonReader in, Codec<T> codec) {
        return in.tryNull() ? Change.clear() : Change.replace(codec.decode(in));
    }

    /** Reads a change of an existing value: null clears it, an invalid value keeps it. */
    public static <T> Change<T> lenientChange(JsonReader in, Codec<T> codec) {
        if (in.tryNull()) {
            return Change.clear();
        }
        T value = Members.lenient(in, codec);
        return value == null ? Change.keep() : Change.replace(value);
    }

    /** Reads metadata; malformed metadata is not an error. */
    public static Rest.@Nullable Builder meta(JsonReader in, Rest.@Nullable Builder rest) {
        Meta meta;
        if (in.kind() == JsonReader.Kind.OBJECT) {
            meta = Meta.of(in.raw());
        } else {
            meta = in.kind() == JsonReader.Kind.NULL ? Meta.NULL : Meta.EMPTY;
            in.skip();
        }
        return rest == null && meta.isEmpty() && !meta.isNull()
                ? null
                : (rest == null ? Rest.builder() : rest).meta(meta);
    }

    /** Keeps an unknown member. */
    public static Rest.Builder unknown(JsonReader in, Rest.@Nullable Builder rest) {
        String name = in.name();
        return (rest == null ? Rest.builder() : rest).add(name, in.raw());
    }

    /** Keeps a malformed member of a draft as an unknown one. */
    public static Rest.Builder malformed(JsonReader in, String name, Rest.@Nullable Builder rest) {
        return (rest == null ? Rest.builder() : rest).add(name, in.raw());
    }

    /** Writes a member of a draft that was malformed, if it was kept. */
    public static void writeMalformed(JsonWriter out, Names names, int index, Rest rest) {
        if (rest.isEmpty()) {
            return;
        }
        RawJson kept = rest.get(names.get(index)).orElse(null);
        if (kept != null) {
            out.name(names, index);
            out.raw(kept);
        }
    }

    /** Returns the kept members, if any. */
    public static Rest rest(Rest.@Nullable Builder rest) {
        return rest == null ? Rest.NONE : rest.build();
    }

    /** Writes a change of an existing value; writes nothing if it is to be kept. */
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
