package dev.acp4j.schema;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;

/**
 * Reads an answer as a result if it has a {@code result}, which may be null, whatever else it has; otherwise as an
 * error.
 */
@Unstable
final class MessageMcpResponseCodec implements Codec<MessageMcpResponse> {
    static final MessageMcpResponseCodec INSTANCE = new MessageMcpResponseCodec();

    private static final Names SHAPES = Names.of("result", "error");

    private MessageMcpResponseCodec() {}

    @Override
    public MessageMcpResponse decode(JsonReader in) {
        int start = in.offset();
        long object = in.mark();
        boolean[] has = new boolean[SHAPES.size()];
        in.beginObject();
        for (int member = in.member(SHAPES); member != JsonReader.END; member = in.member(SHAPES)) {
            if (member != JsonReader.UNKNOWN) {
                has[member] = true;
            }
            in.skip();
        }
        if (!has[0] && !has[1]) {
            throw in.invalid("expected a member \"result\" or a member \"error\", got none", start);
        }
        in.rewind(object);
        if (!has[0]) {
            return MessageMcpResponseFailureCodec.INSTANCE.decode(in);
        }
        MessageMcpResponse.Result result = MessageMcpResponseResultCodec.INSTANCE.decode(in);
        // What is passed on has one of both.
        return has[1]
                ? new MessageMcpResponse.Result(result.result(), result.rest().without("error"))
                : result;
    }

    @Override
    public void encode(MessageMcpResponse value, JsonWriter out) {
        if (value instanceof MessageMcpResponse.Result result) {
            MessageMcpResponseResultCodec.INSTANCE.encode(result, out);
        } else if (value instanceof MessageMcpResponse.Failure failure) {
            MessageMcpResponseFailureCodec.INSTANCE.encode(failure, out);
        }
    }
}
