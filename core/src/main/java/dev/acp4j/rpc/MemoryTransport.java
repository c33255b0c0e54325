package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Two ends in one process: what is written at one is read at the other, without being copied. Each direction holds a
 * bounded number of bytes; a writer waits while it is full.
 *
 * <p>Closing one end is the end of the stream for the other, after it has read what was written before.
 */
public final class MemoryTransport implements Transport {
    private static final int STANDARD_QUEUE_BYTES = 1024 * 1024;

    /** What a write fails with when nobody will read it. */
    static final String READER_IS_GONE = "the other side has closed the transport";

    private final Pipe incoming;
    private final Pipe outgoing;

    /** The two ends. */
    public record Pair(Transport left, Transport right) {}

    private MemoryTransport(Pipe incoming, Pipe outgoing) {
        this.incoming = incoming;
        this.outgoing = outgoing;
    }

    /** Returns two joined ends that hold up to 1 MiB in each direction. */
    public static Pair pair() {
        return pair(STANDARD_QUEUE_BYTES);
    }

    /**
     * Returns two joined ends.
     *
     * @param queueBytes how many bytes each direction holds before a writer waits; positive. One message passes even
     *     when it is larger, as long as it is not over the limit of 64 MiB.
     */
    public static Pair pair(int queueBytes) {
        if (queueBytes <= 0) {
            throw new IllegalArgumentException("the queue must hold a positive number of bytes, not " + queueBytes);
        }
        Pipe there = new Pipe(queueBytes);
        Pipe back = new Pipe(queueBytes);
        return new Pair(new MemoryTransport(back, there), new MemoryTransport(there, back));
    }

    @Override
    public Transport.Reader reader() {
        return incoming;
    }

    @Override
    public Transport.Writer writer() {
        return outgoing;
    }

    @Override
    public void close() {
        incoming.abandon();
        outgoing.close();
    }

    /**
     * One direction: a queue of messages, bounded in bytes.
     *
     * <p>The lock guards the queue and its state. It is released while waiting, and nothing foreign runs under it.
     */
    private static final class Pipe implements Transport.Reader, Transport.Writer {
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

        Pipe(int capacity) {
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
                throw new MessageTooLargeException(StreamTransport.STANDARD_MESSAGE_BYTES, Message.head(message.raw()));
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
}
