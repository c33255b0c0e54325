package dev.acp4j.http;

import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * What a WebSocket has beside messages, as notifications of a line that is used like one. They are of the line alone,
 * and no message of an agent or a client is.
 */
final class SocketControl {
    private SocketControl() {}

    /** The first message in each direction, as the upgrade is: which connection it is; empty asks for a new one. */
    static Message open(String connectionId) {
        return of(Wire.OPEN, Map.of("connectionId", new JsonString(connectionId)));
    }

    static Message ping(long number) {
        return of(Wire.PING, Map.of("number", JsonNumber.of(number)));
    }

    static Message pong(long number) {
        return of(Wire.PONG, Map.of("number", JsonNumber.of(number)));
    }

    static Message close(int code, String reason) {
        Map<String, JsonValue> params = new LinkedHashMap<>();
        params.put("code", JsonNumber.of(code));
        params.put("reason", new JsonString(reason));
        return of(Wire.CLOSE, params);
    }

    private static Message of(String method, Map<String, JsonValue> params) {
        return Message.notification(method, RawJson.of(JsonObject.of(params)));
    }

    /** Returns the method of a message of control; empty for any other one. */
    static String kind(Message message) {
        if (message.kind() != Message.Kind.NOTIFICATION) {
            return "";
        }
        return switch (message.method()) {
            case Wire.OPEN, Wire.PING, Wire.PONG, Wire.CLOSE -> message.method();
            default -> "";
        };
    }
}
