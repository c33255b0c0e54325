package dev.acp4j.rpc;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request that was made and not sent, so that it can be sent later without waiting. Not for several threads at once.
 */
public final class PreparedCall {
    private final Connection connection;
    private final Call call;
    private @Nullable Message message;

    PreparedCall(Connection connection, Call call, Message message) {
        this.connection = connection;
        this.call = call;
        this.message = message;
    }

    Message message() {
        return Objects.requireNonNull(message, "the request was sent");
    }

    /** Returns the call. */
    public Call call() {
        return call;
    }

    /**
     * Waits until the outgoing queue has room for the request.
     *
     * @throws InterruptedException when interrupted; nothing was sent
     * @throws WouldDeadlockException when there is no room, and reading waits for the handler that sends
     */
    public void awaitRoom() throws InterruptedException {
        connection.awaitRoom(call.method(), message());
    }

    /**
     * Sends the request, whether there is room or not. Never waits.
     *
     * @throws ConnectionClosedException when the connection takes no more requests
     * @throws IllegalStateException when too many requests are in flight
     */
    public Call send() {
        Message sent = message();
        // It may be large, and the call lives longer.
        message = null;
        connection.send(call, sent);
        return call;
    }
}
