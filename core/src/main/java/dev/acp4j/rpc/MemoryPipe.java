package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One direction of a {@link MemoryTransport}: a queue of messages, bounded in bytes.
 *
 * <p>The lock guards the queue and its state. It is released while waiting, and nothing foreign runs under it.
 */
final class MemoryPipe implements MessageReader, MessageWriter {
    /** What a write fails with when nobody will read it. */
    static final String READER_IS_GONE = "the other side has closed the transport";

    private final int capacity;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Message> queue = new ArrayDeque<>();

    @GuardedBy("lock")
    private long queuedBytes;

    /** Nothing more will be written. */
    @GuardedBy("lock")
    private boolean ended;

    /** Nothing more will be read. */
    @GuardedBy("lock")
    private boolean abandoned;

    MemoryPipe(int capacity) {
        this.capacity = capacity;
    }

    @Override
    public @Nullable Message read() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (queue.isEmpty() && !ended && !abandoned) {
                changed.await();
            }
            Message message = abandoned ? null : queue.poll();
            if (message != null) {
                queuedBytes -= message.length();
                changed.signalAll();
            }
            return message;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isReady() {
        lock.lock();
        try {
            return !queue.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(Message message) throws IOException {
        if (message.length() > StreamTransport.STANDARD_MESSAGE_BYTES) {
            throw new MessageTooLargeException(StreamTransport.STANDARD_MESSAGE_BYTES, LineReader.head(message.raw()));
        }
        lock.lock();
        try {
            while (isFullFor(message) && !ended && !abandoned) {
                changed.await();
            }
            if (ended) {
                throw new IOException("this direction of the transport is closed");
            }
            if (abandoned) {
                throw new IOException(READER_IS_GONE);
            }
            queue.add(message);
            queuedBytes += message.length();
            changed.signalAll();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isFullFor(Message message) {
        return !queue.isEmpty() && queuedBytes + message.length() > capacity;
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Ends the reading side: what is queued is dropped, and the writer learns of it. */
    void abandon() {
        lock.lock();
        try {
            abandoned = true;
            queue.clear();
            queuedBytes = 0;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
