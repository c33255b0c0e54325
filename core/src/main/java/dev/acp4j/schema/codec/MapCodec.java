package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;

/** Reads and writes an object with arbitrary member names and values of one type. The order is kept. */
public final class MapCodec<T> implements Codec<Map<String, T>> {
    private final Codec<T> values;

    private MapCodec(Codec<T> values) {
        this.values = values;
    }

    /** Returns the codec for maps whose values use the codec {@code values}. */
    public static <T> MapCodec<T> of(Codec<T> values) {
        return new MapCodec<>(values);
    }

    /** Returns an unmodifiable copy in the same order, which {@link Map#copyOf} would not keep. */
    public static <T> Map<String, T> copyOf(Map<String, T> map) {
        Map<String, T> copy = new LinkedHashMap<>(map);
        for (Map.Entry<String, T> entry : copy.entrySet()) {
            Objects.requireNonNull(entry.getKey(), "key");
            Objects.requireNonNull(entry.getValue(), entry.getKey());
        }
        return Collections.unmodifiableMap(copy);
    }

    @Override
    public Map<String, T> decode(JsonReader in) {
        Map<String, T> map = new LinkedHashMap<>();
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            map.put(name, values.decode(in));
        }
        return map;
    }

    @Override
    public void encode(Map<String, T> map, JsonWriter out) {
        out.beginObject();
        for (Map.Entry<String, T> entry : map.entrySet()) {
            out.name(entry.getKey());
            values.encode(entry.getValue(), out);
        }
        out.endObject();
    }
}
