package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A prompt of the client that is with its interceptors: they have not forwarded it yet or, in version 1, have got the
 * answer of the agent and not returned. {@code session/cancel} is a message behind it in its session, so it would wait
 * for the interceptors that it is to stop, or go to an agent whose turn is over: the thread that reads it asks here
 * first.
 *
 * <p>The lock guards what has become of the prompt. Nothing blocks while it is held.
 */
final class HeldPrompt {
    private final String session;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private boolean forwarded;

    @GuardedBy("lock")
    private boolean answered;

    @GuardedBy("lock")
    private boolean cancelled;

    @GuardedBy("lock")
    private @Nullable Thread interceptor;

    HeldPrompt(String session) {
        this.session = session;
    }

    boolean isOf(String other) {
        return session.equals(other);
    }

    /**
     * The interceptors begin, on this thread.
     *
     * @throws CancellationException when the prompt was cancelled while it waited
     */
    void begin() {
        lock.lock();
        try {
            requireNotCancelled();
            interceptor = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Requires that the prompt is held still.
     *
     * @throws IllegalStateException when it was forwarded
     * @throws CancellationException when it was cancelled
     */
    void requireHeld() {
        lock.lock();
        try {
            requireNotCancelled();
            if (forwarded) {
                throw new IllegalStateException("the prompt was forwarded: forward it again with other params");
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * The prompt goes on: from now on a cancellation is the agent's.
     *
     * @throws CancellationException when it was cancelled: it does not go on
     */
    void release() {
        lock.lock();
        try {
            requireNotCancelled();
            forwarded = true;
            answered = false;
        } finally {
            lock.unlock();
        }
    }

    /** The agent's turn is over, so a cancellation is for the interceptors again, on the thread on which they began. */
    void answered() {
        lock.lock();
        try {
            answered = true;
        } finally {
            lock.unlock();
        }
    }

    /** The interceptors have returned. */
    void end() {
        lock.lock();
        try {
            interceptor = null;
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the prompt unless the agent has it: then this returns false. */
    boolean cancel() {
        lock.lock();
        try {
            if (forwarded && !answered) {
                return false;
            }
            cancelled = true;
            if (interceptor != null) {
                interceptor.interrupt();
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean isCancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void requireNotCancelled() {
        if (cancelled) {
            throw new CancellationException("session/cancel has cancelled the prompt");
        }
    }
}
