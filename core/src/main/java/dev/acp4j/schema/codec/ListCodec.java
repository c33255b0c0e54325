package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import java.util.ArrayList;
import java.util.List;

/** Reads and writes an array with elements of one type. */
public final class ListCodec<T> implements Codec<List<T>> {
    private final Codec<T> items;
    private final boolean skipsInvalid;

    private ListCodec(Codec<T> items, boolean skipsInvalid) {
        this.items = items;
        this.skipsInvalid = skipsInvalid;
    }

    /** Returns the codec for a list that is invalid if one of its elements is. */
    public static <T> ListCodec<T> of(Codec<T> items) {
        return new ListCodec<>(items, false);
    }

    /** Returns the codec for a list that skips invalid elements. */
    public static <T> ListCodec<T> skippingInvalid(Codec<T> items) {
        return new ListCodec<>(items, true);
    }

    @Override
    public List<T> decode(JsonReader in) {
        List<T> values = new ArrayList<>();
        in.beginArray();
        while (in.nextElement()) {
            if (skipsInvalid) {
                addIfValid(in, values);
            } else {
                values.add(items.decode(in));
            }
        }
        return values;
    }

    private void addIfValid(JsonReader in, List<T> values) {
        long start = in.mark();
        try {
            values.add(items.decode(in));
        } catch (JsonException e) {
            in.rewind(start);
            in.skip();
        }
    }

    @Override
    public void encode(List<T> values, JsonWriter out) {
        out.beginArray();
        for (int i = 0; i < values.size(); i++) {
            items.encode(values.get(i), out);
        }
        out.endArray();
    }
}
