package dev.acp4j.cli.connect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.cli.terminal.Streams;
import dev.acp4j.http.RemoteAgent;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Reports outages that last, and their end: on standard error, and as notices to an editor that takes them. Short ones
 * are not reported.
 *
 * <p>The lock guards everything; nothing is printed while it is held.
 */
final class Outages implements AutoCloseable {
    private final Streams streams;
    private final Editor editor;
    private final String place;
    private final Duration patience;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private boolean isDown;

    @GuardedBy("lock")
    private long since;

    @GuardedBy("lock")
    private boolean isReported;

    @GuardedBy("lock")
    private boolean wasDown;

    @GuardedBy("lock")
    private boolean isClosed;

    Outages(Streams streams, Editor editor, String place, Duration patience) {
        this.streams = streams;
        this.editor = editor;
        this.place = place;
        this.patience = patience;
    }

    void state(RemoteAgent.State state) {
        boolean reports;
        Duration lasted;
        lock.lock();
        try {
            boolean begins = state == RemoteAgent.State.DOWN && !isDown;
            reports = isReported && state != RemoteAgent.State.DOWN;
            lasted = Duration.ofNanos(System.nanoTime() - since);
            since = begins ? System.nanoTime() : since;
            isDown = state == RemoteAgent.State.DOWN;
            wasDown = isDown;
            isReported = isReported && isDown;
            changed.signalAll();
            if (begins) {
                Thread unused = Thread.ofVirtual().name("acp-outage").start(this::await);
            }
        } finally {
            lock.unlock();
        }
        if (state == RemoteAgent.State.RECOVERED) {
            report(
                    "warning",
                    "connected to " + place + " anew; turns that ran were interrupted, and some output may be missing");
        } else if (reports) {
            report("info", "connected to " + place + " again after " + lasted.toSeconds() + " s; nothing was lost");
        }
    }

    /** What goes wrong while a connection is made again is lost for good. Returns whether it was reported. */
    boolean problem(String detail) {
        lock.lock();
        try {
            if (!isDown) {
                return false;
            }
        } finally {
            lock.unlock();
        }
        report("warning", detail);
        return true;
    }

    private void report(String severity, String text) {
        streams.err().println("acp: " + text);
        editor.notice(severity, text);
    }

    private void await() {
        lock.lock();
        try {
            long left = patience.toNanos();
            while (isDown && !isClosed && left > 0) {
                left = changed.awaitNanos(left);
            }
            if (!isDown || isClosed || isReported) {
                return;
            }
            isReported = true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return;
        } finally {
            lock.unlock();
        }
        report("warning", place + " does not answer; trying again, and what you send waits");
    }

    /** Returns whether the last that was heard is that the server does not answer. */
    boolean wasDown() {
        lock.lock();
        try {
            return wasDown;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            isClosed = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
