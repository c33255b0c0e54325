package dev.acp4j.proxy;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Puts what a program has changed in a decoded value into the JSON that it was decoded from. What the value before and
 * the value after write in the same way keeps its bytes; so do members that the type does not know, and the order.
 */
@SuppressWarnings("ReferenceEquality") // What was not changed is the same object.
final class Merge {
    private Merge() {}

    /** Returns the JSON of a value that was changed. */
    static <T> RawJson changed(RawJson came, T before, T after, Codec<T> codec) {
        return before == after ? came : changed(came, RawJson.encode(before, codec), RawJson.encode(after, codec));
    }

    private static RawJson changed(RawJson came, RawJson before, RawJson after) {
        if (before.equals(after)) {
            return came;
        }
        JsonReader.Kind kind = came.reader().kind();
        boolean alike = kind == before.reader().kind() && kind == after.reader().kind();
        if (alike && kind == JsonReader.Kind.OBJECT) {
            return object(came, members(before), members(after));
        }
        if (alike && kind == JsonReader.Kind.ARRAY) {
            return array(elements(came), elements(before), elements(after));
        }
        return after;
    }

    private static RawJson object(RawJson came, Map<String, RawJson> before, Map<String, RawJson> after) {
        JsonWriter out = new JsonWriter(came.length() + 64);
        out.beginObject();
        // Of members with one name the last counts, here as in decoding; the others are left out.
        for (Map.Entry<String, RawJson> member : members(came).entrySet()) {
            String name = member.getKey();
            RawJson value = member.getValue();
            RawJson old = before.get(name);
            RawJson changed = after.remove(name);
            RawJson kept = old == null
                    ? changed == null ? value : changed
                    : changed == null ? null : changed(value, old, changed);
            if (kept != null) {
                out.name(name);
                out.raw(kept);
            }
        }
        after.forEach((name, value) -> {
            // A default that the value before wrote, too, though it had not come, says nothing new.
            if (!value.equals(before.get(name))) {
                out.name(name);
                out.raw(value);
            }
        });
        out.endObject();
        return out.toRawJson();
    }

    /** Elements that stand in both keep their bytes, whatever was put in or taken out around them. */
    private static RawJson array(List<RawJson> came, List<RawJson> before, List<RawJson> after) {
        boolean isWhole = came.size() == before.size();
        int[] places = places(before, after);
        JsonWriter out = new JsonWriter();
        out.beginArray();
        for (int i = 0; i < after.size(); i++) {
            int place = places[i];
            boolean inPlace = place < 0 && before.size() == after.size();
            if (isWhole && place >= 0) {
                out.raw(came.get(place));
            } else if (isWhole && inPlace) {
                out.raw(changed(came.get(i), before.get(i), after.get(i)));
            } else {
                out.raw(after.get(i));
            }
        }
        out.endArray();
        return out.toRawJson();
    }

    /** Returns for each element after the change which of those before it is, in their order; -1 for a new one. */
    private static int[] places(List<RawJson> before, List<RawJson> after) {
        int[] places = new int[after.size()];
        int next = 0;
        for (int i = 0; i < places.length; i++) {
            int found = before.subList(next, before.size()).indexOf(after.get(i));
            places[i] = found < 0 ? -1 : next + found;
            next = found < 0 ? next : next + found + 1;
        }
        return places;
    }

    /** Returns the members of an object in their order; of those with one name the last. */
    static Map<String, RawJson> members(RawJson object) {
        Map<String, RawJson> members = new LinkedHashMap<>();
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            members.put(in.name(), in.raw());
        }
        return members;
    }

    private static List<RawJson> elements(RawJson array) {
        List<RawJson> elements = new ArrayList<>();
        JsonReader in = array.reader();
        in.beginArray();
        while (in.nextElement()) {
            elements.add(in.raw());
        }
        return elements;
    }
}
