package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** A JSON string. */
public final class StringCodec implements Codec<String> {
    public static final StringCodec INSTANCE = new StringCodec();

    private StringCodec() {}

    @Override
    public String decode(JsonReader in) {
        return in.string();
    }

    @Override
    public void encode(String value, JsonWriter out) {
        out.string(value);
    }
}
