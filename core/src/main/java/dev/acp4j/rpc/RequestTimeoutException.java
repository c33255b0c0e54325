package dev.acp4j.rpc;

import java.time.Duration;

/** The answer did not come in time. The peer was told that nobody waits any more ({@code $/cancel_request}). */
public final class RequestTimeoutException extends RpcException {
    private static final long serialVersionUID = 1L;

    private final String method;
    private final Duration timeout;

    RequestTimeoutException(String method, Duration timeout) {
        super(method + ": no answer within " + text(timeout), null);
        this.method = method;
        this.timeout = timeout;
    }

    @Override
    public String nextStep() {
        return "Set a longer Limits.requestTimeout, or find out what it does: ConnectedAgent.report has the last output of an agent, and a Tracer records the connection.";
    }

    private static String text(Duration time) {
        long millis = time.toMillis();
        return millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms";
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
