package dev.acp4j.rpc;

import java.time.Duration;

/** The answer did not come in time. The peer was told that nobody waits any more ({@code $/cancel_request}). */
public final class RequestTimeoutException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final String method;
    private final Duration timeout;

    RequestTimeoutException(String method, Duration timeout) {
        super(method + ": no answer within " + timeout.toMillis() + " ms", null);
        this.method = method;
        this.timeout = timeout;
    }

    /** Returns the method that was called. */
    public String method() {
        return method;
    }

    /** Returns how long the caller waited. */
    public Duration timeout() {
        return timeout;
    }
}
