package dev.acp4j.mcp;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The members of a JSON object, each as it came. What has another type than expected counts as absent. */
record Members(Map<String, RawJson> all) {
    static final Members NONE = new Members(Map.of());

    /** Reads an object; anything else has no members. */
    static Members of(@Nullable RawJson json) {
        if (json == null || json.reader().kind() != JsonReader.Kind.OBJECT) {
            return NONE;
        }
        Map<String, RawJson> all = new LinkedHashMap<>();
        JsonReader in = json.reader();
        in.beginObject();
        while (in.nextMember()) {
            all.put(in.name(), in.raw());
        }
        return new Members(all);
    }

    /** Returns these members with another value of one. */
    Members with(String name, RawJson value) {
        Map<String, RawJson> changed = new LinkedHashMap<>(all);
        changed.put(name, value);
        return new Members(changed);
    }

    /** Returns these members except one. */
    Members without(String name) {
        Map<String, RawJson> changed = new LinkedHashMap<>(all);
        changed.remove(name);
        return new Members(changed);
    }

    /** Returns the object of these members. */
    RawJson json() {
        return Link.object(out -> all.forEach((name, value) -> {
            out.name(name);
            out.raw(value);
        }));
    }

    boolean has(String name) {
        RawJson value = all.get(name);
        return value != null && !value.equals(RawJson.NULL);
    }

    @Nullable
    RawJson raw(String name) {
        return has(name) ? all.get(name) : null;
    }

    Members object(String name) {
        return of(all.get(name));
    }

    @Nullable
    String text(String name) {
        RawJson value = all.get(name);
        return value != null && value.reader().kind() == JsonReader.Kind.STRING
                ? value.reader().string()
                : null;
    }

    String text(String name, String absent) {
        String value = text(name);
        return value == null ? absent : value;
    }

    @Nullable
    Double number(String name) {
        RawJson value = all.get(name);
        try {
            return value == null ? null : (Double) value.reader().number();
        } catch (JsonException e) {
            return null;
        }
    }

    boolean isTrue(String name) {
        RawJson value = all.get(name);
        return value != null && value.toString().equals("true");
    }

    /** Returns the elements of an array. */
    List<RawJson> list(String name) {
        RawJson value = all.get(name);
        List<RawJson> elements = new ArrayList<>();
        if (value != null && value.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = value.reader();
            in.beginArray();
            while (in.nextElement()) {
                elements.add(in.raw());
            }
        }
        return elements;
    }
}
