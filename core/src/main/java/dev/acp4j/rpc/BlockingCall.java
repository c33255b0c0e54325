package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Knows which thread is inside a stream's blocking call, so that closing interrupts that call and nothing else the
 * thread does later.
 *
 * <p>The lock guards the thread and what happened to it. It is never held during the call itself.
 */
final class BlockingCall {
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Thread thread;

    @GuardedBy("lock")
    private boolean interrupted;

    @GuardedBy("lock")
    private boolean closed;

    void enter() throws IOException {
        lock.lock();
        try {
            if (closed) {
                throw new IOException("transport is closed");
            }
            thread = Thread.currentThread();
        } finally {
            lock.unlock();
        }
    }

    /** Leaves the call; returns whether the transport was closed meanwhile. */
    boolean leave() {
        lock.lock();
        try {
            thread = null;
            if (interrupted) {
                interrupted = false;
                Thread.interrupted();
            }
            return closed;
        } finally {
            lock.unlock();
        }
    }

    /** Refuses further calls and interrupts the present one; returns whether there is one. */
    boolean close() {
        lock.lock();
        try {
            closed = true;
            if (thread == null) {
                return false;
            }
            interrupted = true;
            thread.interrupt();
            return true;
        } finally {
            lock.unlock();
        }
    }
}
