package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** True or false. */
public final class BooleanCodec implements Codec<Boolean> {
    public static final BooleanCodec INSTANCE = new BooleanCodec();

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
