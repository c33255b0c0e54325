package dev.acp4j.proxies;

import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Reads and replaces members of JSON objects, and leaves the others as they are. */
final class Members {
    private Members() {}

    /** Returns a member; null if there is none, or this is no object. */
    static @Nullable RawJson get(RawJson object, String name) {
        JsonReader in = object.reader();
        if (in.kind() != JsonReader.Kind.OBJECT) {
            return null;
        }
        in.beginObject();
        RawJson found = null;
        while (in.nextMember()) {
            boolean isIt = in.name().equals(name);
            RawJson value = in.raw();
            found = isIt ? value : found;
        }
        return found;
    }

    /** Returns a member that is a text; null if there is none. */
    static @Nullable String text(RawJson object, String name) {
        RawJson value = get(object, name);
        return value != null && value.reader().kind() == JsonReader.Kind.STRING
                ? value.reader().string()
                : null;
    }

    /** Returns a member that says how much was used; null if there is none, or nothing can have used that. */
    static @Nullable Double amount(RawJson object, String name) {
        RawJson value = get(object, name);
        if (value == null || !(value.value() instanceof JsonNumber number)) {
            return null;
        }
        double amount = number.doubleValue();
        // Sums of these are finite.
        return amount >= 0 && amount <= Long.MAX_VALUE ? amount : null;
    }

    /** Returns an object with another value of a member; null for none. */
    static RawJson with(RawJson object, String name, @Nullable RawJson value) {
        JsonWriter out = new JsonWriter();
        JsonReader in = object.reader();
        out.beginObject();
        in.beginObject();
        boolean isWritten = value == null;
        while (in.nextMember()) {
            String member = in.name();
            RawJson came = in.raw();
            if (!member.equals(name)) {
                out.name(member);
                out.raw(came);
            } else if (value != null) {
                out.name(member);
                out.raw(value);
                isWritten = true;
            }
        }
        if (!isWritten && value != null) {
            out.name(name);
            out.raw(value);
        }
        out.endObject();
        return out.toRawJson();
    }

    /** Returns an object with one more element in front of those of an array. */
    static RawJson prepended(RawJson object, String name, RawJson element) {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        out.raw(element);
        RawJson array = get(object, name);
        if (array != null && array.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = array.reader();
            in.beginArray();
            while (in.nextElement()) {
                out.raw(in.raw());
            }
        }
        out.endArray();
        return with(object, name, out.toRawJson());
    }
}
