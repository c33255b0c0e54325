package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
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
        super(PeerErrorText.of(method, code, peerMessage, data, secrets), null);
        this.method = method;
        this.code = code;
        this.peerMessage = peerMessage;
        this.data = data;
        this.raw = raw;
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
        return PeerErrorText.nextStep(method, code);
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
}
