package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All that changes while a connection lives: its phase, and three parts with a file each, {@link Calls},
 * {@link Requests} and {@link Lanes}. Every change ends in {@link #settle()}, which looks whether the connection has
 * come to rest; work can only become less once it no longer accepts new work, so an ending connection ends. What may
 * leave the order of the wire, and when, is said in {@link Waiting}.
 *
 * <p>One lock guards everything here and in the parts, including the fields of {@link Lane}, {@link LaneItem},
 * {@link Call} and {@link IncomingRequest} that say so. While holding it nobody writes, reads, runs a handler or takes
 * another lock; threads may be interrupted and woken.
 */
final class ConnectionState {
    private enum Phase {
        OPEN,
        /** The peer will send nothing more, or we want nothing more; handlers may finish and answer. */
        DRAINING,
        CLOSED
    }

    /** The one lock, for the parts. */
    final ReentrantLock lock;

    private final Condition rest;

    final Limits limits;
    final Time time;
    final Calls calls;
    final Requests requests;
    final Lanes lanes;

    @GuardedBy("lock")
    private Phase phase = Phase.OPEN;

    @GuardedBy("lock")
    private @Nullable Throwable reason;

    ConnectionState(Limits limits, Machine machine) {
        this.lock = machine.newLock();
        this.rest = lock.newCondition();
        this.limits = limits;
        this.time = machine;
        this.calls = new Calls(this, limits.outgoingRequests());
        this.requests = new Requests(this, limits);
        this.lanes = new Lanes(this, limits);
    }

    boolean isOpen() {
        lock.lock();
        try {
            return phase == Phase.OPEN;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Throwable reason() {
        lock.lock();
        try {
            return reason;
        } finally {
            lock.unlock();
        }
    }

    /** Stops accepting new work; the first reason stays. Returns true the first time. */
    boolean drain(@Nullable Throwable why) {
        lock.lock();
        try {
            if (phase != Phase.OPEN) {
                return false;
            }
            phase = Phase.DRAINING;
            reason = reason == null ? why : reason;
            return true;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Remembers a failure, also when the connection has begun to end without one; the first one stays. */
    void failed(Throwable why) {
        lock.lock();
        try {
            if (reason == null) {
                reason = why;
            }
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts all handlers, of requests and of what runs in lanes. */
    void interruptHandlers() {
        lock.lock();
        try {
            requests.cancelAll();
            lanes.interruptAll();
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Waits until no handler runs and no lane has work. Returns false when the time is over. */
    boolean awaitRest(long nanos) {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            while (!isAtRest()) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, rest, left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /**
     * Drops what still waits in lanes, and interrupts what has come to run there since the others were. Returns the
     * calls whose answers were dropped: somebody waits for them.
     */
    List<Call> close() {
        lock.lock();
        try {
            phase = Phase.CLOSED;
            return lanes.close();
        } finally {
            settle();
            lock.unlock();
        }
    }

    @SuppressWarnings("GuardedBy") // The lock of the parts is this one.
    private boolean isAtRest() {
        return requests.areAtRest() && calls.areAtRest() && lanes.areAtRest();
    }

    /**
     * Ends every change: looks whether the connection has come to rest. Called with the lock held, in finally blocks.
     */
    @SuppressWarnings("GuardedBy") // Error Prone takes the lock for released in a finally block that unlocks it.
    void settle() {
        if (phase != Phase.OPEN && isAtRest()) {
            rest.signalAll();
        }
    }
}
