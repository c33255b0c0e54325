package dev.acp4j.rpc;

/** A request that was made and not sent: so that it can be sent later without waiting. */
public final class PreparedCall {
    private final Connection connection;
    private final Call call;
    private final Message message;

    PreparedCall(Connection connection, Call call, Message message) {
        this.connection = connection;
        this.call = call;
        this.message = message;
    }

    Message message() {
        return message;
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
        connection.awaitRoom(call.method(), message);
    }

    /**
     * Sends the request, whether there is room or not. Never waits.
     *
     * @throws ConnectionClosedException when the connection takes no more requests
     * @throws IllegalStateException when too many requests are in flight
     */
    public Call send() {
        connection.send(call, message);
        return call;
    }
}
