package dev.acp4j.rpc;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The error that a handler answers a request with: thrown by the handler, it reaches the peer as it is. Any other
 * exception reaches the peer as <em>internal error</em> without its text.
 *
 * @see <a href="https://www.jsonrpc.org/specification#error_object">JSON-RPC error object</a>
 */
public final class RpcError extends RuntimeException {
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

    private final int code;
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
        this(code, message, data, null);
    }

    RpcError(int code, String message, @Nullable RawJson data, @Nullable RawJson raw) {
        super(message);
        this.code = code;
        this.data = data;
        this.raw = raw;
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

    /** Returns the error code. */
    public int code() {
        return code;
    }

    /** Returns the message that is sent. */
    public String message() {
        String message = getMessage();
        return message == null ? "" : message;
    }

    /** Returns the data that is sent. */
    public Optional<RawJson> data() {
        return Optional.ofNullable(data);
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
        out.string(message());
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
}
