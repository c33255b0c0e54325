package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.schema.codec.ListCodec;
import java.util.List;

/** Reads an array whose absence does not mean that it is empty. */
@Unstable
final class BackgroundListCodec implements Codec<BackgroundList> {
    static final BackgroundListCodec INSTANCE = new BackgroundListCodec();

    private static final Codec<List<BackgroundWork>> ITEMS = ListCodec.of(BackgroundWorkCodec.INSTANCE);

    private BackgroundListCodec() {}

    @Override
    public BackgroundList decode(JsonReader in) {
        return new BackgroundList(ITEMS.decode(in));
    }

    @Override
    public void encode(BackgroundList value, JsonWriter out) {
        ITEMS.encode(value.items(), out);
    }
}
