package dev.acp4j;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.Version;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Which versions of the protocol a side speaks, and the error for a version below all of them. */
final class UnsupportedVersion {
    private static final int CODE = -32022;

    private UnsupportedVersion() {}

    /** Returns the versions that a builder was given; there must be one. */
    static Set<Version> spoken(Version... versions) {
        if (versions.length == 0) {
            throw new IllegalArgumentException("expected a version of the protocol");
        }
        return Set.of(versions);
    }

    /** Returns the newest of these versions at or below a number; null when there is none. */
    static @Nullable Version newest(Set<Version> versions, int most) {
        Version newest = null;
        for (Version version : versions) {
            if (version.number() <= most && (newest == null || version.number() > newest.number())) {
                newest = version;
            }
        }
        return newest;
    }

    /**
     * Returns the newest version to ask for instead of the one that an agent has refused: one of the client that the
     * agent names. Returns null when there is none, or when the agent has refused for another reason.
     */
    static @Nullable Version other(RpcError refused, Client.Builder client) {
        RawJson data = refused.data().orElse(RawJson.NULL);
        if (refused.code() != CODE || !(data.value() instanceof JsonObject details)) {
            return null;
        }
        JsonValue supported = details.get("supported").orElse(null);
        Version newest = null;
        for (Version version : client.versions) {
            boolean isNamed = supported instanceof JsonArray numbers
                    && numbers.elements().contains(JsonNumber.of(version.number()));
            if (isNamed && version != client.newest() && (newest == null || version.number() > newest.number())) {
                newest = version;
            }
        }
        return newest;
    }

    static RpcError error(int requested, Set<Version> supported) {
        JsonWriter data = new JsonWriter();
        data.beginObject();
        data.name("requested");
        data.int64(requested);
        data.name("supported");
        data.beginArray();
        for (Version version : Version.values()) {
            if (supported.contains(version)) {
                data.int64(version.number());
            }
        }
        data.endArray();
        data.endObject();
        return new RpcError(CODE, "Unsupported protocol version: " + requested, data.toRawJson());
    }
}
