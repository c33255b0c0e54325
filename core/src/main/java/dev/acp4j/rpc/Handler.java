package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * Receives what the peer sends. {@link #request} and {@link #notification} run in the lane of the message, one after
 * another and in the order in which the messages came; lanes do not wait for each other. Blocking and computing are
 * allowed there and hold up that lane only. {@link #opens}, {@link #forwardsTo} and {@link #arrived} run on the reading
 * thread.
 */
public interface Handler {
    /**
     * Accepts a request. What is done here is done before anything later in the lane is looked at; the returned task
     * then runs on another thread, beside the lane, and gives the answer.
     *
     * @param request the request
     * @return what answers it
     * @throws Exception to answer at once: an {@link RpcError} as it is, anything else as internal error
     */
    Task request(IncomingRequest request) throws Exception;

    /**
     * Whether a request opens the conversation. Then everything that came before it is handled before, and everything
     * that comes behind it, in whatever lane, waits until it is answered.
     *
     * <p>Nearly nobody overrides this. It is the reading thread that waits and then answers, so neither the request's
     * own handler and task nor that of a notification before it may wait for an answer of the peer: it would wait in
     * vain. {@link Task#answered()} then runs on a thread of its own.
     *
     * @param method the method of the request
     */
    default boolean opens(String method) {
        return false;
    }

    /**
     * Returns where the notifications of a method go unread, byte for byte as they came; null, which is the standard,
     * to handle them here. They keep their place: notifications before them in their lane have been handled, and
     * requests accepted. So whoever passes on requests, too, sends them in {@link #request} and only waits in the task.
     * What the protocol of the connection itself sends, {@code $/cancel_request}, is never passed on: its ids mean
     * nothing there.
     *
     * <p>Asked on the reading thread for each notification, so it must answer at once and not throw: what it throws
     * ends the connection.
     *
     * @param method the method of the notification
     */
    default @Nullable Connection forwardsTo(String method) {
        return null;
    }

    /**
     * Looks at a notification when it has been read, before it takes its place in its lane. It runs on the reading
     * thread, so that a cancellation takes effect whatever the handlers do; it must return at once and not throw, as an
     * exception ends the connection.
     *
     * @param method the method of the notification
     * @param params its params, or null when there are none
     */
    default void arrived(String method, @Nullable RawJson params) {}

    /**
     * Handles a notification.
     *
     * @param method the method
     * @param params its params, or null when there are none
     * @throws Exception is reported and does not end the connection
     */
    void notification(String method, @Nullable RawJson params) throws Exception;

    /**
     * Returns true when the calling thread handles a notification behind which another waits, of the same method and
     * not large: what need be done only once for many may be left to that one, which is handled next unless the
     * connection ends. To be asked by the thread that {@link #notification} was called on.
     */
    static boolean isMoreInLane() {
        return Work.current() instanceof LaneItem item && item.isFollowedByAnother;
    }

    /** Answers one request. */
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
