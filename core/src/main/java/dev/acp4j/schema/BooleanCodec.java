package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** True or false. */
final class BooleanCodec implements Codec<Boolean> {
    static final BooleanCodec INSTANCE = new BooleanCodec();

    private BooleanCodec() {}

    @Override
    public Boolean decode(JsonReader in) {
        return in.bool();
    }

    @Override
    public void encode(Boolean value, JsonWriter out) {
        out.bool(value);
    }
}
