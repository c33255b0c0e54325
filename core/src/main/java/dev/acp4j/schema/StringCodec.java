package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** A JSON string. */
final class StringCodec implements Codec<String> {
    static final StringCodec INSTANCE = new StringCodec();

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
