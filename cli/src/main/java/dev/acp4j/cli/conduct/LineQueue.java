package dev.acp4j.cli.conduct;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Lines for people, written by one thread, so that adding one never blocks: programs must not stop because nobody reads
 * what they report. Beyond a bound lines are dropped, and counted where they are missing.
 *
 * <p>The lock guards the lines; nothing is written while it is held.
 */
final class LineQueue implements AutoCloseable {
    private static final int MOST_CHARS = 256 * 1024;
    private static final Duration LAST_TIME = Duration.ofSeconds(1);

    private final Consumer<String> out;
    private final Thread writer;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<String> lines = new ArrayDeque<>();

    @GuardedBy("lock")
    private int chars;

    /** How many lines were dropped behind the last of the queue. */
    @GuardedBy("lock")
    private long dropped;

    @GuardedBy("lock")
    private boolean closed;

    /** Creates a queue and starts its thread. */
    LineQueue(Consumer<String> out) {
        this.out = out;
        this.writer = Thread.ofPlatform().daemon().name("acp-lines").start(this::writeAll);
    }

    /** Adds a line. Never waits. */
    void add(String line) {
        lock.lock();
        try {
            if (chars > 0 && chars + line.length() > MOST_CHARS) {
                dropped++;
                return;
            }
            addDropped();
            lines.add(line);
            chars += line.length();
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void addDropped() {
        if (dropped > 0) {
            lines.add(
                    "acp: " + dropped + " lines are missing here, because the lines before them were not read in time");
            dropped = 0;
        }
    }

    private void writeAll() {
        String line;
        while ((line = next()) != null) {
            out.accept(line);
        }
    }

    /** Returns the next line, waiting for it; null at the end. */
    private @Nullable String next() {
        lock.lock();
        try {
            while (lines.isEmpty()) {
                addDropped();
                if (lines.isEmpty() && closed) {
                    return null;
                }
                if (lines.isEmpty()) {
                    changed.awaitUninterruptibly();
                }
            }
            String line = lines.remove();
            chars = lines.isEmpty() ? 0 : Math.max(0, chars - line.length());
            return line;
        } finally {
            lock.unlock();
        }
    }

    /** Writes what is left, unless that takes longer than a second. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            boolean unused = writer.join(LAST_TIME);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
