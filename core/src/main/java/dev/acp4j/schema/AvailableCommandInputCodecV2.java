package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;

/** Reads the input of version 2, in which a member gives the type. */
@Unstable
final class AvailableCommandInputCodecV2 implements Codec<AvailableCommandInput> {
    static final AvailableCommandInputCodecV2 INSTANCE = new AvailableCommandInputCodecV2();

    private static final Names TYPE = Names.of("type");
    private static final Names MEMBERS = Names.of("type", "hint");
    private static final Names TEXT = Names.of("text");

    private AvailableCommandInputCodecV2() {}

    @Override
    public AvailableCommandInput decode(JsonReader in) {
        int start = in.offset();
        long object = in.mark();
        in.beginObject();
        for (int member = in.member(TYPE); member != JsonReader.END; member = in.member(TYPE)) {
            if (member == 0) {
                int type = in.constant(TEXT);
                in.rewind(object);
                return type == 0 ? text(in) : new AvailableCommandInput.Unknown(in.raw());
            }
            in.skip();
        }
        throw in.missing("type", start);
    }

    private static AvailableCommandInput text(JsonReader in) {
        AvailableCommandInput.Unstructured text = AvailableCommandInputUnstructuredCodec.INSTANCE.decode(in);
        return new AvailableCommandInput.Unstructured(text.hint(), text.rest().without("type"));
    }

    @Override
    public void encode(AvailableCommandInput value, JsonWriter out) {
        if (value instanceof AvailableCommandInput.Unstructured text) {
            out.beginObject();
            out.name(MEMBERS, 0);
            out.string(TEXT, 0);
            out.name(MEMBERS, 1);
            out.string(text.hint());
            text.rest().write(out, MEMBERS);
            out.endObject();
        } else if (value instanceof AvailableCommandInput.Unknown unknown) {
            out.raw(unknown.raw());
        }
    }
}
