package dev.acp4j.agent;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.List;

/** A JSON object, written member by member: the raw input or output of a tool call. */
final class Facts {
    private final JsonWriter writer = new JsonWriter();

    Facts() {
        writer.beginObject();
    }

    Facts put(String name, String value) {
        writer.name(name);
        writer.string(value);
        return this;
    }

    Facts put(String name, long value) {
        writer.name(name);
        writer.int64(value);
        return this;
    }

    Facts put(String name, boolean value) {
        writer.name(name);
        writer.bool(value);
        return this;
    }

    Facts put(String name, List<String> values) {
        writer.name(name);
        writer.beginArray();
        values.forEach(writer::string);
        writer.endArray();
        return this;
    }

    /** Puts an array of objects. */
    Facts putAll(String name, List<Facts> values) {
        writer.name(name);
        writer.beginArray();
        for (Facts value : values) {
            writer.raw(value.json());
        }
        writer.endArray();
        return this;
    }

    /** Ends the object. */
    RawJson json() {
        writer.endObject();
        return writer.toRawJson();
    }
}
