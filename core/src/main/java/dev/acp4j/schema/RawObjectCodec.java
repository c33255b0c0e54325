package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;

/** Any JSON object, unchanged. */
final class RawObjectCodec implements Codec<RawJson> {
    static final RawObjectCodec INSTANCE = new RawObjectCodec();

    private RawObjectCodec() {}

    @Override
    public RawJson decode(JsonReader in) {
        if (in.kind() != JsonReader.Kind.OBJECT) {
            throw in.mismatch("an object");
        }
        return in.raw();
    }

    @Override
    public void encode(RawJson value, JsonWriter out) {
        out.raw(value);
    }
}
