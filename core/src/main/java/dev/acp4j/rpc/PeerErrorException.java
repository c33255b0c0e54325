package dev.acp4j.rpc;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNull;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The peer answered a request with an error. The message of the exception has the method, the peer's own message, the
 * code, and what the error's data adds to that: its {@code details} if it has any, else all of it, cut when it is long,
 * on one line and without what looks like a secret; {@link #nextStep()} says what may help. The peer's own message and
 * data are there as they came.
 */
public non-sealed class PeerErrorException extends RpcException {
    private static final long serialVersionUID = 1L;

    /** The most that is shown of a text of the peer, and the most that is read to show it. */
    private static final int LONGEST = 500;

    private static final int LONGEST_READ = 8 * LONGEST;
    private static final Names MEMBERS = Names.of("code", "message", "data");

    private final String method;
    private final int code;
    private final String peerMessage;
    private final transient @Nullable RawJson data;
    private final transient @Nullable RawJson raw;

    /**
     * Creates the exception for an error answer.
     *
     * @param method the method that was called
     * @param code the peer's error code
     * @param peerMessage the peer's message
     * @param data the peer's error data, or null when it sent none
     */
    public PeerErrorException(String method, int code, String peerMessage, @Nullable RawJson data) {
        this(method, code, peerMessage, data, null, Redaction.SECRETS::redact);
    }

    PeerErrorException(
            String method,
            int code,
            String peerMessage,
            @Nullable RawJson data,
            @Nullable RawJson raw,
            UnaryOperator<String> secrets) {
        super(text(method, code, peerMessage, data, secrets), null);
        this.method = method;
        this.code = code;
        this.peerMessage = peerMessage;
        this.data = data;
        this.raw = raw;
    }

    /** Reads an error object. */
    static PeerErrorException read(String method, RawJson error, UnaryOperator<String> secrets) {
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
        return new PeerErrorException(method, code, message, data, error, secrets);
    }

    /** Creates the same exception once more, for one that says more. */
    protected PeerErrorException(PeerErrorException same) {
        super(String.valueOf(same.getMessage()), null);
        this.method = same.method;
        this.code = same.code;
        this.peerMessage = same.peerMessage;
        this.data = same.data;
        this.raw = same.raw;
    }

    @Override
    public String nextStep() {
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

    /** Returns the method that was called. */
    public String method() {
        return method;
    }

    /** Returns the error code, for example {@link RpcError#METHOD_NOT_FOUND}. */
    public int code() {
        return code;
    }

    /** Returns the peer's own message, without what {@link #getMessage()} adds. */
    public String peerMessage() {
        return peerMessage;
    }

    /** Returns what the peer sent as {@code error.data}; a JSON null that was sent is a value, not absence. */
    public Optional<RawJson> data() {
        return Optional.ofNullable(data);
    }

    /**
     * Returns the same error, for a handler to throw that forwards it to its own peer. Members that JSON-RPC does not
     * define are kept.
     */
    public RpcError toError() {
        return new RpcError(code, peerMessage, data, raw);
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
