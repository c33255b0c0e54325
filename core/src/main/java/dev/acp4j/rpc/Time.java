package dev.acp4j.rpc;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** The clock that a connection goes by, so that tests can pass time without waiting for it. */
public interface Time {
    /** The time of the machine. */
    Time SYSTEM = new Time() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
        public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
            long unused = condition.awaitNanos(nanos);
        }
    };

    /** Returns the nanoseconds since some fixed moment. */
    long nanoTime();

    /**
     * Waits until the condition is signalled or the time is over; may return earlier for no reason.
     *
     * @param lock the lock of the condition, held by the caller
     * @param condition what to wait for
     * @param nanos how long to wait at most
     * @throws InterruptedException when interrupted
     */
    void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException;
}
