package dev.acp4j.schema.codec;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** A number that may have a fraction. */
public final class DoubleCodec implements Codec<Double> {
    public static final DoubleCodec INSTANCE = new DoubleCodec();

    private DoubleCodec() {}

    @Override
    public Double decode(JsonReader in) {
        return in.number();
    }

    @Override
    public void encode(Double value, JsonWriter out) {
        out.number(value);
    }
}
