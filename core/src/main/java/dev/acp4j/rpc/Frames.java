package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Writes the JSON-RPC envelopes. */
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

    static <P> RawJson request(RequestId id, String method, @Nullable P params, Codec<P> codec) {
        JsonWriter out = begin();
        out.name(Envelope.MEMBERS, Envelope.ID);
        RequestId.CODEC.encode(id, out);
        return end(out, method, params, codec);
    }

    static <P> RawJson notification(String method, @Nullable P params, Codec<P> codec) {
        return end(begin(), method, params, codec);
    }

    static RawJson cancel(RequestId id) {
        JsonWriter params = new JsonWriter();
        params.beginObject();
        params.name(CANCEL_MEMBERS, REQUEST_ID);
        RequestId.CODEC.encode(id, params);
        params.endObject();
        return notification(CANCEL_REQUEST, params.toRawJson(), Connection.RAW);
    }

    static RawJson answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        JsonWriter out = begin();
        out.name(Envelope.MEMBERS, Envelope.ID);
        RequestId.CODEC.encode(id, out);
        if (error == null) {
            out.name(Envelope.MEMBERS, Envelope.RESULT);
            out.raw(result == null ? RawJson.NULL : result);
        } else {
            out.name(Envelope.MEMBERS, Envelope.ERROR);
            error.writeTo(out);
        }
        out.endObject();
        return end(out);
    }

    private static JsonWriter begin() {
        JsonWriter spare = SPARE.getAndSet(null);
        JsonWriter out = spare == null ? new JsonWriter() : spare;
        out.beginObject();
        out.name(Envelope.MEMBERS, Envelope.JSONRPC);
        out.string(Envelope.VERSION, 0);
        return out;
    }

    private static <P> RawJson end(JsonWriter out, String method, @Nullable P params, Codec<P> codec) {
        out.name(Envelope.MEMBERS, Envelope.METHOD);
        out.string(method);
        if (params != null) {
            out.name(Envelope.MEMBERS, Envelope.PARAMS);
            codec.encode(params, out);
        }
        out.endObject();
        return end(out);
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
