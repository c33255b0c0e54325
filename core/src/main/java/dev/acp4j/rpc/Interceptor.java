package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;

/**
 * Sees the messages of one direction of a connection, and decides what becomes of each: pass it on, change it, answer
 * it, drop it or hold it back. Every kind of message comes by, answers and noise included.
 *
 * <p>Interceptors of a direction are called one after another for each message, and messages in the order of the wire.
 * An interceptor may block: that holds up its direction of the connection. It may also call the peer and wait for the
 * answer, which then passes the messages that stand before it. Other waits, for the end of a turn for example, fail
 * with {@link WouldDeadlockException} in an interceptor of incoming messages.
 */
@FunctionalInterface
public interface Interceptor {
    /**
     * Intercepts a message. What it does not hand to {@code next} is dropped; a request that is dropped gets no answer.
     *
     * @param message the message
     * @param next the rest of the way of the message
     * @throws Exception is reported as a problem. Unless the message has gone on, a notification is then dropped, a
     *     request gets an error, and a response goes on as one: that of an {@link RpcError}, else an internal error.
     *     What is done with {@code next} afterwards does not count.
     */
    void intercept(Message message, Next next) throws Exception;

    /** The rest of the way of a message. Its methods may be called from any thread, also later. */
    interface Next {
        /**
         * Passes a message on, the same or another. May be called more than once.
         *
         * @throws InterruptedException when interrupted while waiting for room
         */
        void pass(Message message) throws InterruptedException;

        /**
         * Answers the request that is intercepted, which goes no further.
         *
         * @throws IllegalStateException when the message is not a request
         * @throws InterruptedException when interrupted while waiting for room
         */
        void answer(RawJson result) throws InterruptedException;

        /**
         * Refuses the request that is intercepted, which goes no further.
         *
         * @throws IllegalStateException when the message is not a request
         * @throws InterruptedException when interrupted while waiting for room
         */
        void refuse(RpcError error) throws InterruptedException;
    }
}
