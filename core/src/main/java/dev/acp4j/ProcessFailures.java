package dev.acp4j;

import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcException;
import org.jspecify.annotations.Nullable;

/** Explains failures of an agent that was started here: its exit, its last words, what it wrote that was no message. */
final class ProcessFailures extends Failures {
    private final RunningAgent running;

    ProcessFailures(RunningAgent running) {
        super("the agent");
        this.running = running;
    }

    @Override
    ConnectionClosedException closed(@Nullable Connection connection, String method, @Nullable Throwable failure) {
        if (connection != null && connection.closedHere()) {
            return super.closed(connection, method, failure);
        }
        return new AgentFailedException(report(method, connection), method, failure);
    }

    @Override
    Redaction redaction() {
        return running.redaction();
    }

    @Override
    RpcException notAnswering(Connection connection, RequestTimeoutException e) {
        long millis = e.timeout().toMillis();
        String problem = "no answer within " + (millis % 1000 == 0 ? millis / 1000 + " s" : millis + " ms");
        return new AgentFailedException(report(e.method(), connection).withProblem(problem), e.method(), e);
    }

    @Override
    FailureReport report(String phase, @Nullable Connection connection) {
        return connection == null ? running.report(phase) : running.report(phase, connection);
    }
}
