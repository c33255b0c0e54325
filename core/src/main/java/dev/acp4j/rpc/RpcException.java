package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * Root of what can go wrong on a connection: the peer answered with an error, the connection ended, an answer could not
 * be understood, it did not come in time, or waiting for it would never end. Misuse of the API is reported by
 * {@link IllegalArgumentException} and {@link IllegalStateException} instead.
 */
public abstract sealed class RpcException extends RuntimeException
        permits RpcError,
                ConnectionClosedException,
                MalformedMessageException,
                RequestTimeoutException,
                WouldDeadlockException {
    private static final long serialVersionUID = 1L;

    /** Leaves the cause open, for {@link #initCause}. */
    RpcException(String message) {
        super(message);
    }

    RpcException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /** Returns what to do about it, as a sentence. It is a guess, for people who do not know the protocol. */
    public abstract String nextStep();
}
