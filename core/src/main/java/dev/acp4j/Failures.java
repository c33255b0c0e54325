package dev.acp4j;

import dev.acp4j.process.FailureReport;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.process.ProcessFailedException;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/**
 * Explains the end of a connection with what is known of the other side: of a process that was started here its exit,
 * its last words and its output that was no message, of any other peer the failure alone.
 */
final class Failures {
    private final String peer;
    private final @Nullable LaunchedProcess process;

    /** @param peer how the other side is called */
    Failures(String peer) {
        this(peer, null);
    }

    /** @param process the other side's process if it was started here */
    Failures(String peer, @Nullable LaunchedProcess process) {
        this.peer = peer;
        this.process = process;
    }

    /** Makes the exception for a call that the end of the connection interrupted. */
    ConnectionClosedException closed(@Nullable Connection connection, String method, @Nullable Throwable failure) {
        boolean closedHere = connection != null && connection.closedHere();
        if (process != null && !closedHere) {
            return new ProcessFailedException(report(method, connection), method, failure);
        }
        String why = failure != null
                ? "the connection failed: " + withoutSecrets(String.valueOf(failure.getMessage()))
                : closedHere ? "the connection was closed here" : peer + " closed the connection";
        return new ConnectionClosedException(method + ": " + why, method, failure);
    }

    /** Returns a text of the peer without secrets. */
    String withoutSecrets(String text) {
        return redaction().redact(text);
    }

    /** Returns what takes out secrets, among them those that are known here. */
    Redaction redaction() {
        return process == null ? Redaction.SECRETS : process.redaction();
    }

    /**
     * Returns what is known of the other side.
     *
     * @param phase what was being done, such as {@code initialize}
     */
    FailureReport report(String phase, @Nullable Connection connection) {
        if (process != null) {
            return connection == null ? process.report(phase) : process.report(phase, connection);
        }
        FailureReport report = FailureReport.of(phase, peer);
        return connection == null ? report : report.withMessages(connection, redaction());
    }

    /** Returns the process of the other side if it was started here. */
    @Nullable
    LaunchedProcess process() {
        return process;
    }

    /** Makes the exception for an agent that never answered. */
    RpcException notAnswering(Connection connection, RequestTimeoutException e) {
        if (process == null) {
            return e;
        }
        long millis = e.timeout().toMillis();
        String problem = "no answer within " + (millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms");
        return new ProcessFailedException(report(e.method(), connection).withProblem(problem), e.method(), e);
    }
}
