package dev.acp4j;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.rpc.RpcError;

/** The error for a protocol version below all that are supported. */
final class UnsupportedVersion {
    private static final int CODE = -32022;

    private UnsupportedVersion() {}

    static RpcError error(int requested) {
        JsonWriter data = new JsonWriter();
        data.beginObject();
        data.name("requested");
        data.int64(requested);
        data.name("supported");
        data.beginArray();
        data.int64(Protocol.NEWEST);
        data.endArray();
        data.endObject();
        return new RpcError(CODE, "Unsupported protocol version: " + requested, data.toRawJson());
    }
}
