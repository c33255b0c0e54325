package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The error that answers a request. A handler throws it, and it reaches the peer as it is; any other exception reaches
 * the peer as <em>internal error</em> without its text. A call throws it when the peer answered with it; then
 * {@link #method()} names the call.
 *
 * <p>An error that a peer answered with is not meant for anybody else: a handler that lets it through answers
 * <em>internal error</em>, as with any other exception. To pass it on, throw {@link #asAnswer()}.
 *
 * <pre>{@code
 * try {
 *     turn.files().readText(path);
 * } catch (RpcError e) {
 *     throw RpcError.resourceNotFound("no such file: " + path + " (" + e.message() + ")");
 * }
 * }</pre>
 *
 * <p>Of an error of the peer, {@link #getMessage()} has the method, the peer's own message, the code, and what the data
 * adds to that: its {@code details} if it has any, else all of it, cut when it is long, on one line and without what
 * looks like a secret; {@link #nextStep()} says what may help. {@link #message()} and {@link #data()} are as they came.
 *
 * @see <a href="https://www.jsonrpc.org/specification#error_object">JSON-RPC error object</a>
 */
public non-sealed class RpcError extends RpcException {
    private static final long serialVersionUID = 1L;

    /** The text was not JSON. */
    public static final int PARSE_ERROR = -32700;

    /** The JSON was not a request. */
    public static final int INVALID_REQUEST = -32600;

    /** Nobody handles the method. */
    public static final int METHOD_NOT_FOUND = -32601;

    /** The params did not have the method's shape, or a value was refused. */
    public static final int INVALID_PARAMS = -32602;

    /** The handler failed. */
    public static final int INTERNAL_ERROR = -32603;

    /** The request was cancelled. */
    public static final int REQUEST_CANCELLED = -32800;

    /** The user must authenticate first. */
    public static final int AUTH_REQUIRED = -32000;

    /** A file, session or other named thing does not exist. */
    public static final int RESOURCE_NOT_FOUND = -32002;

    /** The most that is shown of a text of the peer, and the most that is read to show it. */
    private static final int LONGEST = 500;

    private static final int LONGEST_READ = 8 * LONGEST;
    private static final Names MEMBERS = Names.of("code", "message", "data");

    private final String method;
    private final int code;
    private final String message;
    private final transient @Nullable RawJson data;

    /** The whole error object, when a peer sent it. */
    private final transient @Nullable RawJson raw;

    /**
     * Creates an error without data.
     *
     * @param code the error code
     * @param message one sentence for people
     */
    public RpcError(int code, String message) {
        this(code, message, null);
    }

    /**
     * Creates an error.
     *
     * @param code the error code
     * @param message one sentence for people
     * @param data more for programs, or null for none
     */
    public RpcError(int code, String message, @Nullable RawJson data) {
        this("", code, message, data, null, message);
    }

    private RpcError(
            String method, int code, String message, @Nullable RawJson data, @Nullable RawJson raw, String text) {
        super(text);
        this.method = method;
        this.code = code;
        this.message = message;
        this.data = data;
        this.raw = raw;
    }

    /** Creates the same error once more, for one that says more. */
    protected RpcError(RpcError same) {
        this(same.method, same.code, same.message, same.data, same.raw, String.valueOf(same.getMessage()));
    }

    /**
     * Returns the error that a peer answered a call with.
     *
     * @param method the method that was called
     * @param code the peer's error code
     * @param message the peer's message
     * @param data the peer's error data, or null when it sent none
     */
    public static RpcError ofPeer(String method, int code, String message, @Nullable RawJson data) {
        return ofPeer(method, code, message, data, null, Redaction.SECRETS::redact);
    }

    private static RpcError ofPeer(
            String method,
            int code,
            String message,
            @Nullable RawJson data,
            @Nullable RawJson raw,
            UnaryOperator<String> secrets) {
        return new RpcError(method, code, message, data, raw, text(method, code, message, data, secrets));
    }

    /**
     * Returns the error of an answer that is passed on: thrown by a handler it reaches its peer with all members.
     *
     * @param error the error object, see {@link Message#error()}
     * @throws dev.acp4j.json.JsonException when it is none
     */
    public static RpcError ofAnswer(RawJson error) {
        return read("", error, Redaction.SECRETS::redact).asAnswer();
    }

    /** Reads an error object. */
    static RpcError read(String method, RawJson error, UnaryOperator<String> secrets) {
        JsonReader in = error.reader("error");
        int start = in.offset();
        @Nullable Integer code = null;
        @Nullable String message = null;
        @Nullable RawJson data = null;
        in.beginObject();
        int member;
        while ((member = in.member(MEMBERS)) != JsonReader.END) {
            switch (member) {
                case 0 -> code = in.int32();
                case 1 -> message = in.string();
                case 2 -> data = in.raw();
                default -> in.skip();
            }
        }
        if (code == null) {
            throw in.missing("code", start);
        }
        if (message == null) {
            throw in.missing("message", start);
        }
        return ofPeer(method, code, message, data, error, secrets);
    }

    /** Returns the error for params that were refused. */
    public static RpcError invalidParams(String message) {
        return new RpcError(INVALID_PARAMS, message);
    }

    /** Returns the error for a message that is not allowed now or not well formed. */
    public static RpcError invalidRequest(String message) {
        return new RpcError(INVALID_REQUEST, message);
    }

    /** Returns the error for a method that nobody handles; {@code data.method} names it. */
    public static RpcError methodNotFound(String method) {
        return new RpcError(METHOD_NOT_FOUND, "Method not found: " + method, member("method", method));
    }

    /** Returns the error for a thing that does not exist. */
    public static RpcError resourceNotFound(String message) {
        return new RpcError(RESOURCE_NOT_FOUND, message);
    }

    /** Returns the error for a session that does not exist; {@code data.sessionId} names it. */
    public static RpcError sessionNotFound(String sessionId) {
        return new RpcError(RESOURCE_NOT_FOUND, "Session not found: " + sessionId, member("sessionId", sessionId));
    }

    /** Returns the error that asks the client to authenticate first. */
    public static RpcError authRequired() {
        return new RpcError(AUTH_REQUIRED, "Authentication required");
    }

    /** Returns the answer to a request that was cancelled. */
    public static RpcError cancelled() {
        return new RpcError(REQUEST_CANCELLED, "Request cancelled");
    }

    static RpcError internal() {
        return new RpcError(INTERNAL_ERROR, "Internal error");
    }

    /**
     * Returns the error that a peer gets for what a handler threw: an error of the handler's own as it is, anything
     * else as <em>internal error</em>, without its text.
     */
    public static RpcError forPeer(Throwable thrown) {
        RpcError answer = answerOf(thrown);
        return answer == null ? internal() : answer;
    }

    /** Returns what a request is answered with whose handler threw this. Null when that is not for the peer. */
    static @Nullable RpcError answerOf(Throwable thrown) {
        return thrown instanceof RpcError error && error.method.isEmpty() ? error : null;
    }

    @Override
    public String nextStep() {
        return switch (code) {
            case METHOD_NOT_FOUND ->
                "The peer does not support " + (method.isEmpty() ? "the method" : method)
                        + ": see what it advertises, or update it.";
            case INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR ->
                "Record the connection with a Tracer, and look at what was sent.";
            case AUTH_REQUIRED -> "Authenticate, then try again.";
            case RESOURCE_NOT_FOUND -> "Check that what the request names exists.";
            case REQUEST_CANCELLED -> "The request was cancelled; send it again if that was not meant.";
            default -> "See the peer's log, or record the connection with a Tracer to see what led to this.";
        };
    }

    /**
     * Returns the method of the call that the peer answered with this error; empty when it did not come from a peer.
     */
    public String method() {
        return method;
    }

    /** Returns the error code, for example {@link #METHOD_NOT_FOUND}. */
    public int code() {
        return code;
    }

    /** Returns the error's own message, without what {@link #getMessage()} adds to that of a peer. */
    public String message() {
        return message;
    }

    /** Returns {@code error.data}; a JSON null that was sent is a value, not absence. */
    public Optional<RawJson> data() {
        return Optional.ofNullable(data);
    }

    /**
     * Returns the same error as a handler throws it, to pass the answer of one peer on to another. Members that
     * JSON-RPC does not define are kept.
     */
    public RpcError asAnswer() {
        return new RpcError("", code, message, data, raw, message);
    }

    void writeTo(JsonWriter out) {
        if (raw != null) {
            out.raw(raw);
            return;
        }
        out.beginObject();
        out.name("code");
        out.int64(code);
        out.name("message");
        out.string(message);
        if (data != null) {
            out.name("data");
            out.raw(data);
        }
        out.endObject();
    }

    private static RawJson member(String name, String value) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(name);
        out.string(value);
        out.endObject();
        return out.toRawJson();
    }

    /** Returns what people read. Peers put the cause into the data, most often as {@code details}. */
    private static String text(
            String method, int code, String message, @Nullable RawJson data, UnaryOperator<String> secrets) {
        String text = method + ": " + line(message, secrets) + " (" + code + ")";
        String more = data == null ? "" : line(details(data), secrets);
        return more.isEmpty() || message.contains(more) ? text : text + ": " + more;
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
