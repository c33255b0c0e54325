package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/** Accepts a request in its lane; what it leaves to be done beside the lane gives the answer. */
final class RequestItem extends LaneItem {
    private final Connection connection;
    private final IncomingRequest request;
    private final Handler.Acceptance acceptance;

    RequestItem(Connection connection, IncomingRequest request, Handler.Acceptance acceptance) {
        super(connection.state, Kind.REQUEST, request.bytes() + Limits.BYTES_BESIDE);
        this.connection = connection;
        this.request = request;
        this.acceptance = acceptance;
    }

    @Override
    void discarded() {
        connection.state.discarded(request);
    }

    @Override
    @Nullable
    Runnable run() {
        Handler.Task task;
        try {
            task = acceptance.accept();
        } catch (InterruptedException e) {
            finish(null, errorFor(e));
            // Perhaps this runs in the middle of another handler, which was meant.
            Thread.currentThread().interrupt();
            return null;
        } catch (Throwable e) {
            finish(null, errorFor(e));
            return null;
        }
        return () -> answer(task);
    }

    private void answer(Handler.Task task) {
        try {
            handleAndAnswer(task);
        } catch (Throwable e) {
            // The answer could not be made, and the peer would wait for ever.
            connection.fail(e);
        }
    }

    private void handleAndAnswer(Handler.Task task) {
        Thread.currentThread().setName(connection.name() + "-" + request.method());
        Work work = new Work(connection.state);
        work.begin();
        connection.state.handledBy(request, Thread.currentThread());
        RawJson result = null;
        RpcError error = null;
        try {
            result = task.run();
        } catch (Throwable e) {
            error = errorFor(e);
        }
        finish(result, error);
        tellAnswered(task);
        work.end();
    }

    private void tellAnswered(Handler.Task task) {
        try {
            task.answered();
        } catch (Throwable e) {
            report(", after its answer: " + e.getMessage(), e);
        }
    }

    private void report(String what, Throwable e) {
        connection.dispatcher.problem(Problem.Kind.REQUEST_FAILED, request.method() + what, e);
    }

    private void finish(@Nullable RawJson result, @Nullable RpcError error) {
        long nanos = nanos();
        if (queueAnswer(result, error)) {
            measure(nanos, error);
        }
    }

    /** Returns how long the request has been here. */
    private long nanos() {
        return connection.measurements.now() - request.begun;
    }

    /** Returns false when nobody waits for the answer. */
    private boolean queueAnswer(@Nullable RawJson result, @Nullable RpcError error) {
        boolean awaited = connection.state.handled(request);
        // A cancellation that came too late to matter must not break what comes after.
        boolean unused = Thread.interrupted();
        if (awaited) {
            connection.answer(request.id(), result, error);
            connection.state.answerQueued();
        }
        return awaited;
    }

    private void measure(long nanos, @Nullable RpcError error) {
        connection.measurements.handled(request.method(), nanos, error);
    }

    private RpcError errorFor(Throwable e) {
        if (e instanceof RpcError rpcError) {
            return rpcError;
        }
        if (request.isCancelled()) {
            return RpcError.cancelled();
        }
        if (!(e instanceof ConnectionClosedException) || connection.isOpen()) {
            report(": " + e, e);
        }
        // A handler that ends with its connection has not failed, and its answer reaches nobody.
        return RpcError.internal();
    }
}
