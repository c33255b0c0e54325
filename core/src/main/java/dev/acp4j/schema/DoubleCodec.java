package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;

/** A number that may have a fraction. */
final class DoubleCodec implements Codec<Double> {
    static final DoubleCodec INSTANCE = new DoubleCodec();

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
