package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.File;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Messages on their way out, in the order in which they were put, and the thread that writes them. It flushes when
 * nothing more waits, so a lone message leaves at once and a burst leaves in few writes: after several messages at once
 * it collects notifications for {@link #COLLECTING_NANOS} instead of being woken for each. Calls and answers are not
 * kept waiting.
 *
 * <p>A thread that reads writes what it passes on by itself if that cannot block, see {@link #pass}.
 *
 * <p>The lock guards the queue; how much waits may be read without it. It is never held while writing, nor while taking
 * another lock; that of {@link Crowding} may be held before it.
 */
final class Outbox implements Runnable {
    /** So many messages at once are a burst. */
    private static final int BURST = 4;

    private static final long COLLECTING_NANOS = 200_000;

    /** So much is not kept waiting. */
    private static final int COLLECTED_BYTES = 48 * 1024;

    private final Transport.Writer writer;
    private final @Nullable RecentMessages recentMessages;
    private final long limit;
    private final Crowding crowding;
    private final Consumer<Throwable> onFailure;

    private final Time time;
    private final boolean mayCollect;
    private final long collectedBytes;
    private final ReentrantLock lock;
    private final Condition filled;
    private final Condition drained;

    @GuardedBy("lock")
    private ArrayDeque<Message> waiting = new ArrayDeque<>();

    /** Changed with the lock. */
    private final AtomicLong bytes = new AtomicLong();

    /** How much was ever written. Changed with the lock. */
    private volatile long writtenBytes;

    /** Changed with the lock. */
    private volatile boolean closed;

    /** Whether the writing thread took several messages at once the last time. */
    @GuardedBy("lock")
    private boolean isBurst;

    /** Whether the writing thread waits for more notifications, and is not woken for each. */
    @GuardedBy("lock")
    private boolean collecting;

    @GuardedBy("lock")
    private boolean ended;

    /** Whether a thread writes, or has not flushed yet what it has written, or the writing thread has not begun. */
    @GuardedBy("lock")
    private boolean writing = true;

    /** Why writing failed: nothing is written any more, and the writing thread sees to the rest. */
    private volatile @Nullable Throwable failure;

    /** How much of what was written the peer has read for certain: what was before a request that it has answered. */
    private volatile long read;

    /** How often those that wait for room were woken, to look for another reason to go on. Changed with the lock. */
    private volatile long wakes;

    /**
     * @param crowding hears when messages were written
     * @param onFailure hears once why writing failed, on the writing thread, and may wait; what is queued meanwhile is
     *     dropped
     */
    Outbox(
            Transport.Writer writer,
            @Nullable RecentMessages recentMessages,
            long limit,
            Machine machine,
            Crowding crowding,
            Consumer<Throwable> onFailure) {
        this.crowding = crowding;
        this.writer = writer;
        this.recentMessages = recentMessages;
        this.limit = limit;
        this.time = machine;
        // On Windows a short wait takes as long as a tick of the clock, 15 ms.
        this.mayCollect = machine.timePasses() && File.separatorChar == '/';
        this.collectedBytes = Math.min(COLLECTED_BYTES, limit / 2);
        this.lock = machine.newLock();
        this.filled = lock.newCondition();
        this.drained = lock.newCondition();
        this.onFailure = onFailure;
    }

    /** What became of a message, or how it stands while it waits. */
    enum Put {
        /** It is queued, perhaps beyond the bound. */
        QUEUED,
        /** It waits for room as any other. */
        FULL,
        /** It cannot be queued any more. */
        CLOSED,
        /** It is from outside of a {@link Crowding jam}, and waits until that is over. */
        HELD,
        /** It is in a circle, and there is no room beyond the bound either. */
        STUCK
    }

    /** Waits until there is room for a message, or the outbox is closed. Returns false when the time is over before. */
    boolean awaitRoom(Message message, long nanos) throws InterruptedException {
        return awaitRoom(message, nanos, -1);
    }

    private boolean awaitRoom(Message message, long nanos, long seen) throws InterruptedException {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            while (isFull(message)) {
                long left = deadline - time.nanoTime();
                if (left <= 0 || (seen >= 0 && wakes != seen)) {
                    return false;
                }
                time.await(lock, drained, left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues a message, waiting for room for a time, or until others are {@linkplain #wakeWaiting woken} after a look.
     *
     * @param seen how often others had been woken at that look; negative to wait for room only
     */
    Put put(Message message, long nanos, long seen) throws InterruptedException {
        lock.lock();
        try {
            return awaitRoom(message, nanos, seen) ? offered(message) : Put.FULL;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for a time, or until this is closed, or those that wait are {@linkplain #wakeWaiting woken} after a look.
     */
    void awaitWake(long nanos, long seen) throws InterruptedException {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            for (long left = nanos; left > 0 && wakes == seen && !closed; left = deadline - time.nanoTime()) {
                time.await(lock, drained, left);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns how often those that wait were woken: who looks next is told of what changes after this. */
    long wakes() {
        return wakes;
    }

    /** Has those that wait for room look whether they may go on for another reason than room. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    void wakeWaiting() {
        lock.lock();
        try {
            wakes++;
            drained.signalAll();
        } finally {
            lock.unlock();
        }
    }

    boolean isClosed() {
        return closed;
    }

    /** Returns how many bytes may wait before it is full. */
    long limit() {
        return limit;
    }

    /** Returns how many bytes of messages wait to be written. */
    long bytes() {
        return bytes.getAcquire();
    }

    /** Returns how many bytes of messages were ever written. */
    long written() {
        return writtenBytes;
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

    /** The peer has read so many bytes of messages, at least. For one thread. */
    void read(long bytes) {
        read = Math.max(read, bytes);
    }

    /**
     * Writes a message on this thread, if nothing is before it and that cannot block: no other thread has to be woken.
     * Else queues it as {@link #offered} does. Never waits: a failure is left to the writing thread.
     */
    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    Put pass(Message message) {
        lock.lock();
        try {
            if (writing
                    || collecting
                    || closed
                    || !waiting.isEmpty()
                    || !writer.takes(message.length(), writtenBytes - read)) {
                return offered(message);
            }
            writing = true;
        } finally {
            lock.unlock();
        }
        try {
            write(message);
            writer.flush();
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        lock.lock();
        try {
            writing = failure != null;
            writtenBytes += message.length();
            if (writing || closed || !waiting.isEmpty()) {
                filled.signal();
            }
        } finally {
            lock.unlock();
        }
        return Put.QUEUED;
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

    /** Returns whether there is room for a message now. */
    boolean hasRoom(Message message) {
        return !isFull(message);
    }

    private boolean isFull(Message message) {
        long before = bytes.getAcquire();
        return before > 0 && before + message.length() > limit && !closed;
    }

    /**
     * Queues a message if no more than so many bytes wait then; never waits. Returns whether it is queued. The writer
     * may still collect a burst.
     */
    boolean queue(Message message, long most) {
        lock.lock();
        try {
            return bytes.getPlain() + message.length() <= most && add(message);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Queues a message whether there is room or not, to be written at once: for cancellations, of which there are few.
     */
    boolean force(Message message) {
        lock.lock();
        try {
            boolean added = add(message);
            wake();
            return added;
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
        bytes.setRelease(bytes.getPlain() + message.length());
        if (!collecting || bytes.getPlain() >= collectedBytes || message.kind() != Message.Kind.NOTIFICATION) {
            wake();
        }
        return true;
    }

    @GuardedBy("lock")
    private void wake() {
        collecting = false;
        if (!writing) {
            filled.signal();
        }
    }

    /** The body of the writing thread: returns when the outbox is closed and empty, or writing failed. */
    @Override
    public void run() {
        try {
            ArrayDeque<Message> batch = take(new ArrayDeque<>());
            while (!batch.isEmpty()) {
                batch = exchange(batch, write(batch));
                crowding.drained();
                if (batch.isEmpty()) {
                    writer.flush();
                    batch = take(batch);
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            failure = e;
        }
        try {
            Throwable why = failure;
            if (why != null) {
                onFailure.accept(why);
            }
        } finally {
            end();
        }
    }

    /** Writes messages. Returns how many bytes they have. */
    private long write(ArrayDeque<Message> batch) throws IOException {
        long written = 0;
        Message message;
        while ((message = batch.poll()) != null) {
            write(message);
            written += message.length();
        }
        return written;
    }

    private void write(Message message) throws IOException {
        if (recentMessages != null) {
            recentMessages.sent(message);
        }
        writer.write(message);
    }

    /**
     * Waits for messages and takes them all, in exchange for an empty queue. Returns none when none will be written.
     */
    private ArrayDeque<Message> take(ArrayDeque<Message> empty) {
        lock.lock();
        try {
            writing = false;
            collect();
            while (failure == null && (writing || (waiting.isEmpty() && !closed))) {
                filled.awaitUninterruptibly();
            }
            return failure == null ? swap(empty) : empty;
        } finally {
            lock.unlock();
        }
    }

    /** After a burst, waits a moment for more. A clock that a test holds would keep what is collected. */
    @GuardedBy("lock")
    private void collect() {
        if (!mayCollect || !isBurst || !waiting.isEmpty()) {
            return;
        }
        collecting = true;
        try {
            long until = time.nanoTime() + COLLECTING_NANOS;
            long left = COLLECTING_NANOS;
            while (collecting && !closed && left > 0) {
                time.await(lock, filled, left);
                left = until - time.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            collecting = false;
        }
    }

    /** Gives the room of what was written back, and takes what waits in exchange, which may be nothing. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
    private ArrayDeque<Message> exchange(ArrayDeque<Message> empty, long written) {
        lock.lock();
        try {
            bytes.setRelease(bytes.getPlain() - written);
            writtenBytes += written;
            drained.signalAll();
            return waiting.isEmpty() ? empty : swap(empty);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private ArrayDeque<Message> swap(ArrayDeque<Message> empty) {
        ArrayDeque<Message> taken = waiting;
        waiting = empty;
        writing = true;
        isBurst = taken.size() >= BURST;
        return taken;
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
            bytes.setRelease(0);
            drained.signalAll();
        } finally {
            lock.unlock();
        }
        crowding.drained();
    }
}
