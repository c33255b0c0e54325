package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Writes the JSON-RPC envelopes. */
final class Frames {
    /** The notification by which either side asks the other to cancel a request. */
    static final String CANCEL_REQUEST = "$/cancel_request";

    private static final int ENVELOPE_BYTES = 96;

    private Frames() {}

    static <P> RawJson request(RequestId id, String method, @Nullable P params, Codec<P> codec) {
        JsonWriter out = begin();
        out.name("id");
        RequestId.CODEC.encode(id, out);
        return end(out, method, params, codec);
    }

    static <P> RawJson notification(String method, @Nullable P params, Codec<P> codec) {
        return end(begin(), method, params, codec);
    }

    static RawJson cancel(RequestId id) {
        JsonWriter params = new JsonWriter();
        params.beginObject();
        params.name("requestId");
        RequestId.CODEC.encode(id, params);
        params.endObject();
        return notification(CANCEL_REQUEST, params.toRawJson(), Connection.RAW);
    }

    static RawJson answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        JsonWriter out = begin();
        out.name("id");
        RequestId.CODEC.encode(id, out);
        if (error == null) {
            out.name("result");
            out.raw(result == null ? RawJson.NULL : result);
        } else {
            out.name("error");
            error.writeTo(out);
        }
        out.endObject();
        return slice(out);
    }

    private static JsonWriter begin() {
        JsonWriter out = new JsonWriter(ENVELOPE_BYTES * 2);
        out.beginObject();
        out.name("jsonrpc");
        out.string("2.0");
        return out;
    }

    private static <P> RawJson end(JsonWriter out, String method, @Nullable P params, Codec<P> codec) {
        out.name("method");
        out.string(method);
        if (params != null) {
            out.name("params");
            codec.encode(params, out);
        }
        out.endObject();
        return slice(out);
    }

    /** The writer is used once, so its buffer need not be copied. */
    private static RawJson slice(JsonWriter out) {
        return RawJson.wrap(out.buffer(), 0, out.size());
    }
}
