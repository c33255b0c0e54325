package dev.acp4j.proxies;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The members of a JSON object, each as it came; none of what is no object.
 *
 * @param all the members in their order
 */
record JsonMembers(Map<String, RawJson> all) {
    static JsonMembers of(@Nullable RawJson object) {
        Map<String, RawJson> all = new LinkedHashMap<>();
        if (object != null && object.reader().kind() == JsonReader.Kind.OBJECT) {
            JsonReader in = object.reader();
            in.beginObject();
            while (in.nextMember()) {
                String name = in.name();
                all.put(name, in.raw());
            }
        }
        return new JsonMembers(all);
    }

    @Nullable
    RawJson raw(String name) {
        return all.get(name);
    }

    JsonMembers object(String name) {
        return of(all.get(name));
    }

    /** Returns a text; empty if there is none. */
    String text(String name) {
        RawJson value = all.get(name);
        return value != null && value.reader().kind() == JsonReader.Kind.STRING
                ? value.reader().string()
                : "";
    }

    List<RawJson> list(String name) {
        List<RawJson> elements = new ArrayList<>();
        RawJson value = all.get(name);
        if (value != null && value.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = value.reader();
            in.beginArray();
            while (in.nextElement()) {
                elements.add(in.raw());
            }
        }
        return elements;
    }

    JsonMembers with(String name, RawJson value) {
        Map<String, RawJson> more = new LinkedHashMap<>(all);
        more.put(name, value);
        return new JsonMembers(more);
    }

    RawJson json() {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        all.forEach((name, value) -> {
            out.name(name);
            out.raw(value);
        });
        out.endObject();
        return out.toRawJson();
    }

    static RawJson array(List<RawJson> elements) {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        elements.forEach(out::raw);
        out.endArray();
        return out.toRawJson();
    }
}
