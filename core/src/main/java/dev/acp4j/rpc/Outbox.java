package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way out, in the order in which they were put, and the thread that writes them. It flushes when
 * nothing more waits, so a lone message leaves at once and a burst leaves in few writes. A small answer that finds
 * nobody writing is written by the thread that made it: one thread less has to be woken.
 *
 * <p>The lock guards the queue. It is never held while writing, nor while taking another lock.
 */
final class Outbox implements Runnable {
    /** What a thread other than the writing thread writes at most; any pipe holds so much. */
    private static final int SMALL_BYTES = 4096;

    private final Transport.Writer writer;
    private final @Nullable RecentMessages recentMessages;
    private final long limit;
    private final Consumer<Throwable> onFailure;

    private final Time time;
    private final ReentrantLock lock;
    private final Condition filled;
    private final Condition drained;

    @GuardedBy("lock")
    private ArrayDeque<Message> waiting = new ArrayDeque<>();

    /** Empty; to be exchanged for the queue by a thread that writes an answer. */
    @GuardedBy("lock")
    private ArrayDeque<Message> spare = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytes;

    /** Whether a thread writes, or is about to. */
    @GuardedBy("lock")
    private boolean writing;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private boolean failed;

    @GuardedBy("lock")
    private boolean ended;

    Outbox(
            Transport.Writer writer,
            @Nullable RecentMessages recentMessages,
            long limit,
            Machine machine,
            Consumer<Throwable> onFailure) {
        this.writer = writer;
        this.recentMessages = recentMessages;
        this.limit = limit;
        this.time = machine;
        this.lock = machine.newLock();
        this.filled = lock.newCondition();
        this.drained = lock.newCondition();
        this.onFailure = onFailure;
    }

    /** What became of a message. */
    enum Put {
        QUEUED,
        FULL,
        CLOSED
    }

    /** Queues a message, waiting for room for a time. */
    Put put(Message message, long nanos) throws InterruptedException {
        lock.lock();
        try {
            if (!awaitRoom(message, nanos)) {
                return Put.FULL;
            }
            return add(message) ? Put.QUEUED : Put.CLOSED;
        } finally {
            lock.unlock();
        }
    }

    /** Waits until there is room for a message, or the outbox is closed. Returns false when the time is over before. */
    boolean awaitRoom(Message message, long nanos) throws InterruptedException {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            while (isFull(message)) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, drained, left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Queues an answer, waiting for room whatever interrupts: an answer is owed. Returns false when closed. */
    boolean putUninterruptibly(Message message) {
        lock.lock();
        try {
            while (isFull(message)) {
                drained.awaitUninterruptibly();
            }
            return add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Queues a message if there is room; never waits, so the reader may call it. Returns whether it is queued. */
    boolean offer(Message message) {
        lock.lock();
        try {
            return bytes + message.length() <= limit && add(message);
        } finally {
            lock.unlock();
        }
    }

    /** Queues a message if there is room, which an empty outbox has for any; never waits. */
    Put offered(Message message) {
        lock.lock();
        try {
            if (isFull(message)) {
                return Put.FULL;
            }
            return add(message) ? Put.QUEUED : Put.CLOSED;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isFull(Message message) {
        return bytes > 0 && bytes + message.length() > limit && !closed;
    }

    /** Queues a message whether there is room or not, without waiting: for cancellations, of which there are few. */
    boolean force(Message message) {
        lock.lock();
        try {
            return add(message);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean add(Message message) {
        if (closed) {
            return false;
        }
        waiting.add(message);
        bytes += message.length();
        filled.signal();
        return true;
    }

    /**
     * Queues a small message when nothing large waits and no thread writes. Returns whether it did; then the calling
     * thread must {@link #writeHere()}.
     */
    boolean offerToWriteHere(Message message) {
        lock.lock();
        try {
            if (writing || closed || bytes + message.length() > SMALL_BYTES) {
                return false;
            }
            waiting.add(message);
            bytes += message.length();
            writing = true;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Writes what waits, on the calling thread, which has {@linkplain #offerToWriteHere promised} it. */
    void writeHere() {
        ArrayDeque<Message> batch;
        lock.lock();
        try {
            batch = waiting;
            waiting = spare;
            spare = batch;
        } finally {
            lock.unlock();
        }
        boolean done = false;
        try {
            done = write(batch);
        } finally {
            lock.lock();
            try {
                writing = false;
                failed = !done;
                if (closed || !waiting.isEmpty()) {
                    filled.signal();
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** The body of the writing thread: returns when the outbox is closed and empty, or writing failed. */
    @Override
    public void run() {
        try {
            ArrayDeque<Message> batch = take(new ArrayDeque<>());
            while (!batch.isEmpty() && write(batch)) {
                batch = take(batch);
            }
        } finally {
            end();
        }
    }

    /** Writes messages, and flushes if no more wait. Returns false when that failed; the outbox is closed then. */
    private boolean write(ArrayDeque<Message> batch) {
        try {
            long written = 0;
            Message message;
            while ((message = batch.poll()) != null) {
                if (recentMessages != null) {
                    recentMessages.sent(message);
                }
                writer.write(message);
                written += message.length();
            }
            if (release(written)) {
                writer.flush();
            }
            return true;
        } catch (IOException | RuntimeException | Error e) {
            close();
            onFailure.accept(e);
            return false;
        }
    }

    /** Waits for messages and takes them all, in exchange for an empty queue. Returns none when there will be none. */
    private ArrayDeque<Message> take(ArrayDeque<Message> empty) {
        lock.lock();
        try {
            writing = false;
            while (writing || (waiting.isEmpty() && !closed)) {
                filled.awaitUninterruptibly();
            }
            if (failed) {
                return empty;
            }
            writing = true;
            ArrayDeque<Message> taken = waiting;
            waiting = empty;
            return taken;
        } finally {
            lock.unlock();
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
