package dev.acp4j.http;

import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a server adds to the agent's answer to {@code initialize}. */
final class Capability {
    private Capability() {}

    /** Returns the answer with the id of the connection, and with what the server offers if streams are durable. */
    static Message advertised(Message answer, String connectionId, boolean durable, ServerLimits limits) {
        if (answer.kind() != Message.Kind.RESULT
                || !(answer.raw().value() instanceof JsonObject envelope)
                || !(envelope.members().get("result") instanceof JsonObject result)) {
            return answer;
        }
        Map<String, JsonValue> members = new LinkedHashMap<>(result.members());
        String capabilities = isVersion1(result) ? "agentCapabilities" : "capabilities";
        Map<String, JsonValue> offered = new LinkedHashMap<>(object(members.get(capabilities)));
        Map<String, JsonValue> transport = new LinkedHashMap<>(object(offered.get(Wire.TRANSPORT)));
        // What the agent says of this is about a transport of its own.
        boolean claimed = transport.remove(Wire.RESUMABLE) != null;
        if (durable) {
            transport.put(Wire.RESUMABLE, resumable(limits));
        }
        if (durable || claimed) {
            offered.put(Wire.TRANSPORT, JsonObject.of(transport));
            members.put(capabilities, JsonObject.of(offered));
        }
        Map<String, JsonValue> meta = new LinkedHashMap<>(object(members.get("_meta")));
        meta.put(Wire.CONNECTION, new JsonString(connectionId));
        members.put("_meta", JsonObject.of(meta));
        Map<String, JsonValue> whole = new LinkedHashMap<>(envelope.members());
        whole.put("result", JsonObject.of(members));
        return Message.parse(RawJson.of(JsonObject.of(whole)));
    }

    private static boolean isVersion1(JsonObject result) {
        return !(result.members().get("protocolVersion") instanceof JsonNumber version)
                || version.toString().equals("1");
    }

    private static Map<String, JsonValue> object(@Nullable JsonValue value) {
        return value instanceof JsonObject object ? object.members() : Map.of();
    }

    private static JsonObject resumable(ServerLimits limits) {
        Map<String, JsonValue> more = new LinkedHashMap<>();
        more.put(Wire.RETENTION_BYTES, number(limits.retainedBytes()));
        more.put(Wire.GRACE_SECONDS, number(limits.grace().toSeconds()));
        more.put(Wire.KEEP_ALIVE_SECONDS, number(limits.keepAlive().toSeconds()));
        more.put(Wire.IDEMPOTENCY, JsonBoolean.of(true));
        more.put(Wire.FROM_BEGINNING, new JsonString(Wire.BEGINNING));
        Map<String, JsonValue> members = new LinkedHashMap<>();
        // The floor: what holds whatever the messages are.
        members.put(Wire.RETENTION_MESSAGES, number(Math.min(1000, limits.retainedMessages())));
        members.put(
                Wire.RETENTION_SECONDS, number(Math.min(300, limits.retention().toSeconds())));
        members.put("_meta", JsonObject.of(more));
        return JsonObject.of(members);
    }

    private static JsonNumber number(long value) {
        return JsonNumber.of(value);
    }
}
