package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;

/** Reads input as text if it has a {@code hint}. */
final class AvailableCommandInputCodec implements Codec<AvailableCommandInput> {
    static final AvailableCommandInputCodec INSTANCE = new AvailableCommandInputCodec();

    private static final Names SHAPES = Names.of("hint");

    private AvailableCommandInputCodec() {}

    @Override
    public AvailableCommandInput decode(JsonReader in) {
        if (Shape.of(in, SHAPES) == 0) {
            return AvailableCommandInputUnstructuredCodec.INSTANCE.decode(in);
        }
        return new AvailableCommandInput.Unknown(in.raw());
    }

    @Override
    public void encode(AvailableCommandInput value, JsonWriter out) {
        if (value instanceof AvailableCommandInput.Unstructured unstructured) {
            AvailableCommandInputUnstructuredCodec.INSTANCE.encode(unstructured, out);
        } else if (value instanceof AvailableCommandInput.Unknown unknown) {
            out.raw(unknown.raw());
        }
    }
}
