package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.ListCodec;
import dev.acp4j.schema.codec.StringCodec;
import java.util.List;

/** Derives the type from the JSON value. */
final class ElicitationContentValueCodec implements Codec<ElicitationContentValue> {
    static final ElicitationContentValueCodec INSTANCE = new ElicitationContentValueCodec();

    private static final Codec<List<String>> STRINGS = ListCodec.of(StringCodec.INSTANCE);

    private ElicitationContentValueCodec() {}

    @Override
    public ElicitationContentValue decode(JsonReader in) {
        return switch (in.kind()) {
            case STRING -> new ElicitationContentValue.Text(in.string());
            case BOOLEAN -> new ElicitationContentValue.Bool(in.bool());
            case NUMBER -> number(in);
            case ARRAY -> choices(in);
            case OBJECT, NULL -> new ElicitationContentValue.Unknown(in.raw());
        };
    }

    private static ElicitationContentValue number(JsonReader in) {
        long start = in.mark();
        RawJson literal = in.raw();
        in.rewind(start);
        if (isWhole(literal)) {
            try {
                return new ElicitationContentValue.Whole(in.int64());
            } catch (JsonException tooLong) {
                in.rewind(start);
            }
        }
        return new ElicitationContentValue.Decimal(in.number());
    }

    private static boolean isWhole(RawJson literal) {
        for (int i = literal.from(); i < literal.to(); i++) {
            byte b = literal.bytes()[i];
            if (b == '.' || b == 'e' || b == 'E') {
                return false;
            }
        }
        return true;
    }

    private static ElicitationContentValue choices(JsonReader in) {
        long start = in.mark();
        in.beginArray();
        while (in.nextElement()) {
            if (in.kind() != JsonReader.Kind.STRING) {
                in.rewind(start);
                return new ElicitationContentValue.Unknown(in.raw());
            }
            in.skip();
        }
        in.rewind(start);
        return new ElicitationContentValue.Choices(STRINGS.decode(in));
    }

    @Override
    public void encode(ElicitationContentValue value, JsonWriter out) {
        if (value instanceof ElicitationContentValue.Text text) {
            out.string(text.value());
        } else if (value instanceof ElicitationContentValue.Whole whole) {
            out.int64(whole.value());
        } else if (value instanceof ElicitationContentValue.Decimal decimal) {
            out.number(decimal.value());
        } else if (value instanceof ElicitationContentValue.Bool bool) {
            out.bool(bool.value());
        } else if (value instanceof ElicitationContentValue.Choices choices) {
            STRINGS.encode(choices.values(), out);
        } else if (value instanceof ElicitationContentValue.Unknown unknown) {
            out.raw(unknown.raw());
        }
    }
}
