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
 * bounded number of bytes; a writer that finds it full waits until the message fits and at least half is free.
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
     * One direction: a queue of messages, bounded in bytes. The reader takes all that is queued at once, and hands it
     * out without the lock.
     *
     * <p>The lock guards the queue and its state. It is released while waiting, and nothing foreign runs under it.
     */
    private static final class Pipe implements Transport.Reader, Transport.Writer {
        private final int capacity;
        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        @GuardedBy("lock")
        private ArrayDeque<Message> queue = new ArrayDeque<>();

        /** What the reader has taken and not handed out. For the reader. */
        private ArrayDeque<Message> taken = new ArrayDeque<>();

        /** Total bytes written. Changed with the lock. */
        private volatile long written;

        /** Total bytes read. Changed by the reader. */
        private volatile long read;

        /** Threads that wait for room; normally one. Changed with the lock. */
        private volatile int waitingWriters;

        /** Nothing more will be written. */
        private volatile boolean ended;

        /** Nothing more will be read. */
        private volatile boolean abandoned;

        Pipe(int capacity) {
            this.capacity = capacity;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // by one thread
        public @Nullable Message read() throws InterruptedException {
            if (taken.isEmpty()) {
                take();
            } else if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (abandoned) {
                taken.clear();
            }
            Message message = taken.poll();
            if (message != null) {
                read += message.length();
                if (waitingWriters > 0 && bytes() <= capacity / 2) {
                    signal();
                }
            }
            return message;
        }

        /** Waits until something is queued, or nothing will be, and takes it. */
        private void take() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (queue.isEmpty() && !ended && !abandoned) {
                    changed.await();
                }
                ArrayDeque<Message> all = queue;
                queue = taken;
                taken = all;
            } finally {
                lock.unlock();
            }
        }

        private long bytes() {
            return written - read;
        }

        @Override
        public boolean isReady() {
            return !abandoned && bytes() > 0;
        }

        @Override
        @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
        public void write(Message message) throws IOException {
            if (message.length() > StreamTransport.STANDARD_MESSAGE_BYTES) {
                throw new MessageTooLargeException(StreamTransport.STANDARD_MESSAGE_BYTES, Message.head(message.raw()));
            }
            lock.lock();
            try {
                if (isFullFor(message)) {
                    awaitRoom(message);
                }
                if (ended) {
                    throw new IOException("this direction of the transport is closed");
                }
                if (abandoned) {
                    throw new IOException(READER_IS_GONE);
                }
                queue.add(message);
                written += message.length();
                changed.signalAll();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw (IOException) new InterruptedIOException("interrupted while writing").initCause(e);
            } finally {
                lock.unlock();
            }
        }

        @GuardedBy("lock")
        @SuppressWarnings("NonAtomicVolatileUpdate") // with the lock
        private void awaitRoom(Message message) throws InterruptedException {
            // Must precede the check: from now on the reader wakes this thread.
            waitingWriters++;
            try {
                while (isFullFor(message)) {
                    changed.await();
                }
            } finally {
                waitingWriters--;
            }
        }

        private boolean isFullFor(Message message) {
            return bytes() > 0 && !takes(message.length(), 0) && !ended && !abandoned;
        }

        @Override
        public boolean takes(int length, long unread) {
            return bytes() + length <= capacity;
        }

        @Override
        public void flush() {}

        @Override
        public void close() {
            ended = true;
            signal();
        }

        /** Ends the reading side: what is queued is dropped, and the writer learns of it. */
        void abandon() {
            abandoned = true;
            signal();
        }

        private void signal() {
            lock.lock();
            try {
                if (abandoned) {
                    queue.clear();
                }
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
