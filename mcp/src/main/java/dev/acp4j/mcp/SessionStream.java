package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is sent to a client with a handshake over HTTP beside its requests: the stream of events that it opens by GET,
 * as often as it likes. The one that comes last reads; the reader before ends. What is sent while nobody reads is there
 * for the next reader.
 *
 * <p>The lock guards who reads. A reader is interrupted only while it is held, so never when it has left; nothing is
 * written while it is held.
 */
final class SessionStream implements Face.Notices, AutoCloseable {
    /** By it one sees whether the client is still there. */
    private static final String COMMENT = ":\n\n";

    private final PendingNotices pending = new PendingNotices();
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Thread reader;

    @GuardedBy("lock")
    private boolean closed;

    @Override
    public void send(String method, RawJson params) {
        pending.send(method, params);
    }

    /**
     * Writes what is sent, until another reader comes or the session ends.
     *
     * @param pulseNanos how often a comment is written when there is nothing else
     * @throws IOException when the client has left
     */
    void write(OutputStream out, long pulseNanos) throws IOException {
        begin();
        try {
            // Before anything else comes, so that the client knows that it is connected.
            write(out, COMMENT);
            while (true) {
                write(out, next(pulseNanos));
            }
        } catch (InterruptedException e) {
            // Another one reads, or nobody does any more.
        } finally {
            leave();
        }
    }

    private static void write(OutputStream out, String text) throws IOException {
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    private String next(long pulseNanos) throws InterruptedException {
        PendingNotices.Notice next = pending.next(pulseNanos);
        return next == null ? COMMENT : "data: " + next.message().raw().compact() + "\n\n";
    }

    /** Whether a client reads. */
    boolean isRead() {
        lock.lock();
        try {
            return reader != null;
        } finally {
            lock.unlock();
        }
    }

    private void begin() {
        lock.lock();
        try {
            interruptReader();
            reader = Thread.currentThread();
            if (closed) {
                interruptReader();
            }
        } finally {
            lock.unlock();
        }
    }

    private void leave() {
        lock.lock();
        try {
            if (Thread.currentThread().equals(reader)) {
                reader = null;
            }
            boolean unused = Thread.interrupted();
        } finally {
            lock.unlock();
        }
    }

    /** Also one that writes to a client that does not read: that closes its connection. */
    @GuardedBy("lock")
    private void interruptReader() {
        if (reader != null) {
            reader.interrupt();
        }
    }

    /** Ends the reader, and lets none begin. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            interruptReader();
        } finally {
            lock.unlock();
        }
    }
}
