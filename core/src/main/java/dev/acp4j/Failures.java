package dev.acp4j;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/** Explains the end of a connection with what is known of the other side; here, with nothing more than the failure. */
class Failures {
    private final String peer;

    /** @param peer how the other side is called */
    Failures(String peer) {
        this.peer = peer;
    }

    /** Makes the exception for a call that the end of the connection interrupted. */
    ConnectionClosedException closed(@Nullable Connection connection, String method, @Nullable Throwable failure) {
        String why = failure != null
                ? "the connection failed: " + withoutSecrets(String.valueOf(failure.getMessage()))
                : connection != null && connection.closedHere()
                        ? "the connection was closed here"
                        : peer + " closed the connection";
        return new ConnectionClosedException(method + ": " + why, method, failure);
    }

    /** Returns a text of the agent without secrets. */
    final String withoutSecrets(String text) {
        return redaction().redact(text);
    }

    /** Returns what takes out secrets, among them those that are known here. */
    Redaction redaction() {
        return Redaction.SECRETS;
    }

    /**
     * Returns what is known of the other side.
     *
     * @param phase what was being done, such as {@code initialize}
     */
    FailureReport report(String phase, @Nullable Connection connection) {
        FailureReport report = FailureReport.of(phase, peer);
        return connection == null
                ? report
                : report.withNoise(connection.recentNoise()).withFrames(connection.recentFrames());
    }

    /** Makes the exception for an agent that never answered. */
    RpcException notAnswering(Connection connection, RequestTimeoutException e) {
        return e;
    }
}
