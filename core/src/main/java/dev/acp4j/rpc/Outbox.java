package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * Messages on their way out, in the order in which they were put, and the thread that writes them. It flushes when
 * nothing more waits, so a lone message leaves at once and a burst leaves in few writes.
 *
 * <p>The lock guards the queue. It is never held while writing, nor while taking another lock.
 */
final class Outbox implements Runnable {
    /** Through so many waits the writing thread sleeps after it has spun in vain. */
    private static final int RESTS = 3;

    private final MessageWriter writer;
    private final RecentFrames recentFrames;
    private final long limit;
    private final Consumer<Throwable> onFailure;

    private final Time time;
    private final long spinNanos;
    private final ReentrantLock lock;
    private final Condition filled;
    private final Condition drained;

    @GuardedBy("lock")
    private ArrayDeque<RawJson> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private boolean ended;

    /** Whether the writing thread need not wait. Written with the lock held. */
    private volatile boolean hasWork;

    // Only the writing thread touches these.

    /** Whether its last wait was a short one. */
    private boolean hurried;

    /** For how many waits it is not to spin. */
    private int rests;

    Outbox(
            MessageWriter writer,
            RecentFrames recentFrames,
            long limit,
            Machine machine,
            Consumer<Throwable> onFailure) {
        this.writer = writer;
        this.recentFrames = recentFrames;
        this.limit = limit;
        this.time = machine;
        this.spinNanos = machine.spinNanos();
        this.lock = machine.newLock();
        this.filled = lock.newCondition();
        this.drained = lock.newCondition();
        this.onFailure = onFailure;
    }

    /** Queues a message, waiting for room. Returns false when the outbox is closed. */
    boolean put(RawJson message) throws InterruptedException {
        lock.lock();
        try {
            while (bytes > 0 && bytes + message.length() > limit && !closed) {
                drained.await();
            }
            return add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Queues an answer, waiting for room whatever interrupts: an answer is owed. Returns false when closed. */
    boolean putUninterruptibly(RawJson message) {
        lock.lock();
        try {
            while (bytes > 0 && bytes + message.length() > limit && !closed) {
                drained.awaitUninterruptibly();
            }
            return add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Queues a message if there is room; never waits, so the reader may call it. Returns whether it is queued. */
    boolean offer(RawJson message) {
        lock.lock();
        try {
            return bytes + message.length() <= limit && add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Queues a message whether there is room or not, without waiting: for cancellations, of which there are few. */
    boolean force(RawJson message) {
        lock.lock();
        try {
            return add(message);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean add(RawJson message) {
        if (closed) {
            return false;
        }
        waiting.add(message);
        bytes += message.length();
        filled.signal();
        hasWork = true;
        return true;
    }

    /** The body of the writing thread: returns when the outbox is closed and empty, or writing failed. */
    @Override
    public void run() {
        try {
            ArrayDeque<RawJson> batch = take(new ArrayDeque<>());
            while (!batch.isEmpty()) {
                long written = 0;
                RawJson message;
                while ((message = batch.poll()) != null) {
                    recentFrames.sent(message);
                    writer.write(message);
                    written += message.length();
                }
                if (release(written)) {
                    writer.flush();
                }
                batch = take(batch);
            }
        } catch (IOException | RuntimeException | Error e) {
            close();
            onFailure.accept(e);
        } finally {
            end();
        }
    }

    /** Waits for messages and takes them all, in exchange for an empty queue. Returns none when there will be none. */
    private ArrayDeque<RawJson> take(ArrayDeque<RawJson> empty) {
        long since = System.nanoTime();
        if (rests > 0) {
            rests--;
        } else if (hurried) {
            stayAwake(since);
        }
        lock.lock();
        try {
            while (waiting.isEmpty() && !closed) {
                filled.awaitUninterruptibly();
            }
            ArrayDeque<RawJson> taken = waiting;
            waiting = empty;
            hasWork = closed;
            hurried = System.nanoTime() - since < 2 * spinNanos;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Spins until there is something to do, or it would have been better to sleep. Who asks and waits for the answer
     * before asking again is kept waiting most by threads that fall asleep between the two, and by cores that do: a
     * tiny turn takes a third of the time when this thread stays awake. It only does so while messages follow each
     * other closely, and rests when that was in vain: a stream that is a little too slow would cost a core. The time is
     * the machine's, as the connection's may stand still in a test.
     */
    @SuppressWarnings("ThreadPriorityCheck") // A hint is all that is wanted: others go first.
    private void stayAwake(long since) {
        while (!hasWork && System.nanoTime() - since < spinNanos) {
            Thread.yield();
        }
        if (!hasWork) {
            rests = RESTS;
        }
    }

    /** Gives room back; returns true when nothing more waits. */
    private boolean release(long written) {
        lock.lock();
        try {
            bytes -= written;
            drained.signalAll();
            return waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more messages; those that wait are still written. */
    void close() {
        lock.lock();
        try {
            closed = true;
            hasWork = true;
            filled.signalAll();
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the writing thread has ended. Returns false when the time is over. */
    boolean awaitEnd(Duration atMost) {
        long deadline = time.nanoTime() + atMost.toNanos();
        lock.lock();
        try {
            while (!ended) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, drained, left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void end() {
        lock.lock();
        try {
            ended = true;
            closed = true;
            waiting = new ArrayDeque<>();
            bytes = 0;
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
