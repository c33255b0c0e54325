package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** What people read of an error answer. Peers put the cause into the data, most often as {@code details}. */
final class PeerErrorText {
    private static final int LONGEST = 500;
    private static final int LONGEST_READ = 8 * LONGEST;

    private PeerErrorText() {}

    static String of(String method, int code, String message, @Nullable RawJson data, UnaryOperator<String> secrets) {
        String text = method + ": " + line(message, secrets) + " (" + code + ")";
        String more = data == null ? "" : line(details(data), secrets);
        return more.isEmpty() || message.contains(more) ? text : text + ": " + more;
    }

    static String nextStep(String method, int code) {
        return switch (code) {
            case RpcError.METHOD_NOT_FOUND ->
                "The peer does not support " + method + ": see what it advertises, or update it.";
            case RpcError.INVALID_PARAMS, RpcError.INVALID_REQUEST, RpcError.PARSE_ERROR ->
                "Record the connection with a Tracer, and look at what was sent.";
            case RpcError.AUTH_REQUIRED -> "Authenticate, then try again.";
            case RpcError.RESOURCE_NOT_FOUND -> "Check that what the request names exists.";
            case RpcError.REQUEST_CANCELLED -> "The request was cancelled; send it again if that was not meant.";
            default -> "See the peer's log, or record the connection with a Tracer to see what led to this.";
        };
    }

    private static String details(RawJson data) {
        if (data.length() > LONGEST_READ) {
            return new String(data.bytes(), data.from(), LONGEST_READ, StandardCharsets.UTF_8);
        }
        try {
            // Here, as long as it is known what is a value of which name.
            return switch (telling(Redaction.SECRETS.redactError(data).value())) {
                case JsonString string -> string.value();
                case JsonNull none -> "";
                case JsonValue other -> other.toString();
            };
        } catch (JsonException e) {
            return "";
        }
    }

    private static JsonValue telling(JsonValue data) {
        if (!(data instanceof JsonObject object)) {
            return data;
        }
        JsonValue details = object.get("details").orElse(object);
        if (!details.equals(object) || object.members().size() != 1) {
            return details;
        }
        Map.Entry<String, JsonValue> only =
                object.members().entrySet().iterator().next();
        // {"method": "x"} beside "Method not found: x" says nothing new; of a secret, only the name is left.
        boolean tellsAlone =
                only.getValue() instanceof JsonString string && !string.value().equals("***");
        return tellsAlone ? only.getValue() : object;
    }

    private static String line(String text, UnaryOperator<String> secrets) {
        String shown = secrets.apply(text.length() <= LONGEST_READ ? text : text.substring(0, LONGEST_READ));
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < shown.length() && i < LONGEST; i++) {
            char c = shown.charAt(i);
            line.append(Character.isWhitespace(c) ? ' ' : Character.isISOControl(c) ? '\ufffd' : c);
        }
        return line.toString().strip() + (shown.length() > LONGEST ? "…" : "");
    }
}
