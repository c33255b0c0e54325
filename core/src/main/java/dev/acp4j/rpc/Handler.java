package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Receives what the peer sends. A message passes through up to three places:
 *
 * <ol>
 *   <li>{@link #request} and {@link #notification} see every message in the order of the wire, on the thread that
 *       reads: the place to decode, to keep state and to mark cancellations. They run no code of others and return
 *       soon; they wait for nothing but room in a {@link Connection.Backlog}.
 *   <li>What they return runs in the lane of the message: one after another within a session, sessions beside each
 *       other. Blocking and computing are allowed there and hold up that lane only.
 *   <li>The {@link Task} that a request leaves runs beside the lane and gives the answer.
 * </ol>
 */
public interface Handler {
    /** Is called once, before the connection reads or writes anything. */
    default void bound(Connection connection) {}

    /**
     * Receives a request, on the thread that reads.
     *
     * @param request the request
     * @return what accepts it in its lane; null when it {@linkplain IncomingRequest#answer has been answered}
     * @throws RpcError to refuse the request; any other exception answers it with an internal error
     * @throws InterruptedException when interrupted, which ends the connection
     */
    @Nullable
    Acceptance request(IncomingRequest request) throws InterruptedException;

    /**
     * Receives a notification, on the thread that reads. An exception is reported and does not end the connection.
     *
     * @param message the notification
     * @return what is done in its lane; null when that is nothing
     * @throws InterruptedException when interrupted, which ends the connection
     */
    @Nullable
    Delivery notification(Message message) throws InterruptedException;

    /**
     * Is called, perhaps several times, when the connection ends, before it refuses what is sent, and when the handlers
     * of its requests are about to be interrupted: the place to {@linkplain IncomingRequest#release release} those that
     * go on without it. Runs on any thread and does not wait.
     */
    default void ending() {}

    /** Accepts a request in its lane: before anything behind it in the lane is looked at. */
    @FunctionalInterface
    interface Acceptance {
        /**
         * Returns what answers the request, on another thread; null when it is answered in another way.
         *
         * @throws Exception to answer at once: an {@link RpcError} as it is, anything else as internal error
         */
        @Nullable
        Task accept() throws Exception;
    }

    /** Handles a notification in its lane. */
    @FunctionalInterface
    interface Delivery {
        /**
         * Handles it.
         *
         * @throws Exception is reported and does not end the connection
         */
        void deliver() throws Exception;

        /**
         * Returns how much memory this holds until it has been delivered, as a multiple of the message's bytes: more
         * than one when the message was decoded.
         */
        default int weight() {
            return 1;
        }
    }

    /** Answers one request. */
    @FunctionalInterface
    interface Task {
        /**
         * Returns the result. The thread is interrupted when the peer cancels the request.
         *
         * @throws Exception is the answer: an {@link RpcError} as it is, anything else as <em>request cancelled</em> if
         *     the request was cancelled, and else as <em>internal error</em>
         */
        RawJson run() throws Exception;

        /** Is called after the answer has been queued for writing: what is sent from here on comes after it. */
        default void answered() {}
    }
}
