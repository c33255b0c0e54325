package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RequestTimeoutException;
import dev.acp4j.rpc.RpcException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Explains failures of an agent that was started here: its exit, its last words, what it wrote that was no message. */
final class ProcessFailures extends Failures {
    private static final int NOISE_KEPT = 20;

    private final RunningAgent running;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<String> noise = new ArrayDeque<>();

    ProcessFailures(RunningAgent running) {
        this.running = running;
    }

    @Override
    void problem(Problem problem) {
        if (problem.kind() != Problem.Kind.NOISE) {
            return;
        }
        lock.lock();
        try {
            noise.add(problem.detail());
            if (noise.size() > NOISE_KEPT) {
                noise.remove();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    ConnectionClosedException closed(@Nullable Connection connection, String method, @Nullable Throwable failure) {
        if (connection != null && connection.closedHere()) {
            return super.closed(connection, method, failure);
        }
        return new AgentFailedException(report(method, connection), method, failure);
    }

    @Override
    RpcException notAnswering(Connection connection, RequestTimeoutException e) {
        String problem = "no answer within " + e.timeout().toSeconds() + " s";
        return new AgentFailedException(report(e.method(), connection).withProblem(problem), e.method(), e);
    }

    private FailureReport report(String phase, @Nullable Connection connection) {
        List<String> lines;
        lock.lock();
        try {
            lines = new ArrayList<>(noise);
        } finally {
            lock.unlock();
        }
        FailureReport report = running.report(phase).withNoise(lines);
        return connection == null ? report : report.withFrames(connection.recentFrames());
    }
}
