package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/** Answers a request that is not handled. Not on the reading thread, because the answer may have to wait for room. */
final class RefusalItem extends LaneItem {
    private final Connection connection;
    private final IncomingRequest request;
    private final RpcError error;
    private final long begun;

    RefusalItem(Connection connection, IncomingRequest request, RpcError error) {
        super(
                connection.state(),
                Kind.REQUEST,
                Limits.BYTES_BESIDE + 2 * request.id().json().length());
        this.connection = connection;
        this.request = request;
        this.error = error;
        this.begun = connection.measurements().now();
    }

    @Override
    @Nullable
    Runnable run() {
        long nanos = connection.measurements().now() - begun;
        connection.answer(request.id(), null, error);
        connection.measurements().handled(request.method(), nanos, error);
        return null;
    }
}
