package dev.acp4j.http;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Why something could not be sent, or a stream not be read: what happened, and what may be done about it. */
final class HttpFailure extends IOException {
    private static final long serialVersionUID = 1L;

    /** What may be done about a failure. */
    enum Kind {
        /** Nothing was sent: the same may be tried again. */
        NOT_SENT,
        /** Nothing was sent, since this HTTP client takes no more requests. Another one does. */
        ELSEWHERE,
        /** Something was sent, and the outcome is unknown. */
        UNKNOWN,
        /** The server has refused this one message. */
        REFUSED,
        /** The server asks to come again later. */
        LATER,
        /** The server does not know the connection, or will not continue its streams: a new connection may. */
        GONE,
        /** Trying again would end the same: the credential, the certificate, the version. */
        FINAL
    }

    private final Kind kind;
    private final int status;
    private final String body;
    private final long retryNanos;
    private final boolean mayBeDone;
    private final String reason;

    HttpFailure(Kind kind, String message, @Nullable Throwable cause) {
        this(kind, Wire.TRANSPORT_FAILED, message, cause);
    }

    /** @param reason what programs go by */
    HttpFailure(Kind kind, String reason, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.reason = reason;
        this.kind = kind;
        this.mayBeDone = false;
        this.status = 0;
        this.body = "";
        this.retryNanos = 0;
    }

    /** @param retryNanos how long the server asks to wait; 0 if it does not say */
    HttpFailure(Kind kind, String message, int status, String body, long retryNanos) {
        this(kind, Wire.TRANSPORT_FAILED, message, status, body, retryNanos, false);
    }

    HttpFailure(Kind kind, String reason, String message, int status, String body, long retryNanos, boolean mayBeDone) {
        super(message);
        this.kind = kind;
        this.reason = reason;
        this.mayBeDone = mayBeDone;
        this.status = status;
        this.body = body;
        this.retryNanos = retryNanos;
    }

    /** Returns the same failure as one of another kind. */
    HttpFailure as(Kind other) {
        HttpFailure same =
                new HttpFailure(other, reason, String.valueOf(getMessage()), status, body, retryNanos, false);
        Throwable unused = same.initCause(this);
        return same;
    }

    /** Returns the same failure as that of a message that may have been done, at this attempt or one before. */
    HttpFailure ofUnknownOutcome() {
        HttpFailure same = new HttpFailure(kind, reason, String.valueOf(getMessage()), status, body, retryNanos, true);
        Throwable unused = same.initCause(this);
        return same;
    }

    Kind kind() {
        return kind;
    }

    /** Returns what programs go by. */
    String reason() {
        return mayBeDone() ? Wire.OUTCOME_UNKNOWN : reason;
    }

    /** Returns whether what has failed may have been done all the same. */
    boolean mayBeDone() {
        return mayBeDone || kind == Kind.UNKNOWN;
    }

    int status() {
        return status;
    }

    long retryNanos() {
        return retryNanos;
    }

    /** Returns whether the server does not know a position that the client has named. */
    boolean isUnknownCursor() {
        byte[] said = body.getBytes(StandardCharsets.UTF_8);
        return status == 409
                && Raw.text(RawJson.wrap(said, 0, said.length), "reason").equals(Wire.CURSOR_UNKNOWN);
    }

    /** Returns the answer to a request that fails for this reason, made here. */
    Message answer(RequestId id) {
        JsonWriter data = new JsonWriter();
        data.beginObject();
        data.name("reason");
        data.string(reason());
        if (status > 0) {
            data.name("status");
            data.int64(status);
        }
        if (!body.isEmpty()) {
            data.name("body");
            data.string(body);
        }
        data.endObject();
        RawJson details = data.toRawJson();
        // What agents answer to params that are wrong, servers answer with a status.
        int code = kind == Kind.REFUSED && status == 400 ? RpcError.INVALID_PARAMS : RpcError.INTERNAL_ERROR;
        String text = (mayBeDone ? "the outcome is unknown: " : "") + getMessage();
        return Message.error(id, new RpcError(code, text, details));
    }
}
