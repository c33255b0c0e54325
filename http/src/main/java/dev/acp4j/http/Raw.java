package dev.acp4j.http;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Looks into raw JSON, and adds a member, without reading the rest. */
final class Raw {
    private Raw() {}

    /** Returns the value behind these names, one in the other; null when there is none, or something is no object. */
    static @Nullable RawJson member(@Nullable RawJson value, String... path) {
        RawJson found = value;
        for (String name : path) {
            found = found == null ? null : find(found, name);
        }
        return found;
    }

    private static @Nullable RawJson find(RawJson object, String name) {
        try {
            JsonReader in = object.reader();
            if (in.kind() != JsonReader.Kind.OBJECT) {
                return null;
            }
            in.beginObject();
            while (in.nextMember()) {
                if (in.name().equals(name)) {
                    return in.raw();
                }
                in.skip();
            }
            return null;
        } catch (JsonException e) {
            return null;
        }
    }

    /** Returns a member that is a string; empty when it is none. */
    static String text(@Nullable RawJson value, String... path) {
        RawJson found = member(value, path);
        try {
            return found != null && found.reader().kind() == JsonReader.Kind.STRING
                    ? found.reader().string()
                    : "";
        } catch (JsonException e) {
            return "";
        }
    }

    /** Returns a member that is a whole number, or what to take instead. */
    static long number(@Nullable RawJson value, long otherwise, String... path) {
        RawJson found = member(value, path);
        try {
            return found != null && found.reader().kind() == JsonReader.Kind.NUMBER
                    ? found.reader().int64()
                    : otherwise;
        } catch (JsonException e) {
            return otherwise;
        }
    }

    /** Returns whether a member is an object, or true. */
    static boolean isOffered(@Nullable RawJson value, String... path) {
        RawJson found = member(value, path);
        if (found == null) {
            return false;
        }
        try {
            return switch (found.reader().kind()) {
                case OBJECT -> true;
                case BOOLEAN -> found.reader().bool();
                default -> false;
            };
        } catch (JsonException e) {
            return false;
        }
    }

    /** Returns the object with a member in its {@code _meta}; the same if that is something else than an object. */
    static RawJson withMeta(RawJson object, String name, RawJson value) {
        RawJson meta = member(object, "_meta");
        JsonReader.Kind kind =
                meta == null ? JsonReader.Kind.NULL : meta.reader().kind();
        if (meta == null || kind == JsonReader.Kind.NULL) {
            meta = RawJson.EMPTY_OBJECT;
        } else if (kind != JsonReader.Kind.OBJECT) {
            return object;
        }
        return with(object, "_meta", with(meta, name, value));
    }

    /** Returns the object with other members: those of these names are replaced, or left out where a value is null. */
    static RawJson with(RawJson object, String name, @Nullable RawJson value) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        if (value != null) {
            out.name(name);
            out.raw(value);
        }
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            String other = in.name();
            if (other.equals(name)) {
                in.skip();
            } else {
                out.name(other);
                out.raw(in.raw());
            }
        }
        out.endObject();
        return out.toRawJson();
    }
}
