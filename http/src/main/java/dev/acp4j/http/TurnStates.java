package dev.acp4j.http;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * In which state the turn of each session is, for clients that go on with its stream: the last {@code state_update} in
 * version 2, what the open requests say in version 1. Guarded by the lock of its connection.
 */
final class TurnStates {
    private final Routes routes;
    private final Map<String, RawJson> updates = new HashMap<>();

    TurnStates(Routes routes) {
        this.routes = routes;
    }

    /** Keeps a message of the agent if it is a {@code state_update}. */
    void note(String session, Message message) {
        if (message.kind() == Message.Kind.NOTIFICATION && isStateUpdate(message)) {
            updates.put(session, message.raw());
        }
    }

    private static boolean isStateUpdate(Message message) {
        RawJson params = message.params();
        try {
            return message.method().equals("session/update")
                    && params != null
                    && params.value() instanceof JsonObject object
                    && object.members().get("update") instanceof JsonObject update
                    && update.members().get("sessionUpdate") instanceof JsonString kind
                    && kind.value().equals("state_update");
        } catch (JsonException e) {
            return false;
        }
    }

    void forget(String session) {
        updates.remove(session);
    }

    /** Returns what a client of a version hears of the turn of a session, which is nothing in version 2 before one. */
    List<RawJson> of(String session, boolean isVersion1) {
        if (isVersion1) {
            return List.of(version1(session));
        }
        RawJson last = updates.get(session);
        return last == null ? List.of() : List.of(last);
    }

    /** Returns that a turn of version 2 ended with an error, if it had not ended; null otherwise. */
    @Nullable
    Message lost(String session, RpcError error) {
        RawJson last = updates.get(session);
        if (last == null || Raw.text(last, "params", "update", "state").equals("idle")) {
            return null;
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session);
        out.name("update");
        out.beginObject();
        out.name("sessionUpdate");
        out.string("state_update");
        out.name("state");
        out.string("idle");
        out.name("stopReason");
        out.string("error");
        out.name("error");
        out.raw(Objects.requireNonNull(
                Raw.member(Message.error(RequestId.NULL, error).raw(), "error"), "an error has one"));
        out.endObject();
        out.endObject();
        Message idle = Message.notification("session/update", out.toRawJson());
        updates.put(session, idle.raw());
        return idle;
    }

    private RawJson version1(String session) {
        RequestId prompt = routes.prompt(session);
        String text = "{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                + RawJson.string(session)
                + ",\"update\":{\"sessionUpdate\":\"session_info_update\",\"_meta\":{\"" + Wire.TURN_STATE
                + "\":{\"state\":\"" + routes.turnState(session) + "\""
                + (prompt == null ? "" : ",\"promptRequestId\":" + prompt.json()) + "}}}}}";
        return RawJson.parse(text);
    }
}
