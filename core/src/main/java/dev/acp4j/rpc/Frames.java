package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Writes messages. */
final class Frames {
    /** The notification by which either side asks the other to cancel a request. */
    static final String CANCEL_REQUEST = "$/cancel_request";

    /** The params of that notification. */
    static final Names CANCEL_MEMBERS = Names.of("requestId");

    static final int REQUEST_ID = 0;

    /** Messages up to this size are copied out of a buffer that is used again; larger ones keep theirs. */
    private static final int COPIED_BYTES = 16 * 1024;

    /** A writer that nobody uses at the moment: a new one costs as much as a message. */
    private static final AtomicReference<@Nullable JsonWriter> SPARE = new AtomicReference<>();

    private Frames() {}

    static <P> Message request(RequestId id, String method, @Nullable P params, Codec<P> codec) {
        JsonWriter out = begin();
        out.name(MessageParser.MEMBERS, MessageParser.ID);
        RequestId.CODEC.encode(id, out);
        return end(out, id, method, params, codec);
    }

    static <P> Message notification(String method, @Nullable P params, Codec<P> codec) {
        return end(begin(), null, method, params, codec);
    }

    static Message cancel(RequestId id) {
        JsonWriter params = new JsonWriter();
        params.beginObject();
        params.name(CANCEL_MEMBERS, REQUEST_ID);
        RequestId.CODEC.encode(id, params);
        params.endObject();
        return notification(CANCEL_REQUEST, params.toRawJson(), RawJson.CODEC);
    }

    static Message answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        JsonWriter out = begin();
        out.name(MessageParser.MEMBERS, MessageParser.ID);
        RequestId.CODEC.encode(id, out);
        out.name(MessageParser.MEMBERS, error == null ? MessageParser.RESULT : MessageParser.ERROR);
        int from = out.size();
        if (error == null) {
            out.raw(result == null ? RawJson.NULL : result);
        } else {
            error.writeTo(out);
        }
        int to = out.size();
        out.endObject();
        Message.Kind kind = error == null ? Message.Kind.RESULT : Message.Kind.ERROR;
        return new Message(end(out), kind, id, "", null, from, to, null);
    }

    private static JsonWriter begin() {
        JsonWriter spare = SPARE.getAndSet(null);
        JsonWriter out = spare == null ? new JsonWriter() : spare;
        out.beginObject();
        out.name(MessageParser.MEMBERS, MessageParser.JSONRPC);
        out.string(MessageParser.VERSION, 0);
        return out;
    }

    private static <P> Message end(
            JsonWriter out, @Nullable RequestId id, String method, @Nullable P params, Codec<P> codec) {
        out.name(MessageParser.MEMBERS, MessageParser.METHOD);
        out.string(method);
        int from = 0;
        int to = 0;
        if (params != null) {
            out.name(MessageParser.MEMBERS, MessageParser.PARAMS);
            from = out.size();
            codec.encode(params, out);
            to = out.size();
        }
        out.endObject();
        RawJson message = end(out);
        if (to > 0 && message.bytes()[from] != '{') {
            // Raw params that are no object: absent, a list, or something that the peer will refuse.
            return Message.parse(message);
        }
        Message.Kind kind = id == null ? Message.Kind.NOTIFICATION : Message.Kind.REQUEST;
        return new Message(message, kind, id, method, null, from, to, null);
    }

    /** Returns what was written. Many messages may wait to be sent, so the small ones take no more than they need. */
    private static RawJson end(JsonWriter out) {
        if (out.size() > COPIED_BYTES) {
            return out.takeRawJson();
        }
        RawJson message = out.toRawJson();
        if (out.buffer().length <= 2 * COPIED_BYTES) {
            out.reset();
            SPARE.set(out);
        }
        return message;
    }
}
