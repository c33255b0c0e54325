package dev.acp4j.cli.doctor;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The stream of events of a connection, as it arrives, on an HTTP client of its own, so that it can be cut.
 *
 * <p>The lock guards what has arrived; nothing is read while it is held.
 */
final class ServerStream implements AutoCloseable {
    private final HttpClient client;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private String id = "";

    @GuardedBy("lock")
    private String wanted;

    @GuardedBy("lock")
    private boolean isWantedHere;

    @GuardedBy("lock")
    private long heard = System.nanoTime();

    @GuardedBy("lock")
    private long longestSilence;

    @GuardedBy("lock")
    private @Nullable String end;

    /** @param wanted what an event has that is looked for */
    ServerStream(HttpClient client, InputStream body, String wanted) {
        this.client = client;
        this.wanted = wanted;
        Thread unused = Thread.ofVirtual().name("acp-doctor-stream").start(() -> read(body));
    }

    private void read(InputStream body) {
        String why = "the server ended it";
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(body, StandardCharsets.UTF_8))) {
            String pending = "";
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith("id:")) {
                    pending = line.substring(3).strip();
                }
                took(line, pending);
            }
        } catch (IOException e) {
            why = "it was cut: " + e.getMessage();
        }
        lock.lock();
        try {
            end = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void took(String line, String pending) {
        lock.lock();
        try {
            long now = System.nanoTime();
            longestSilence = Math.max(longestSilence, now - heard);
            heard = now;
            if (line.isEmpty()) {
                id = pending;
            } else if (line.startsWith("data:") && !wanted.isEmpty() && line.contains(wanted)) {
                isWantedHere = true;
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** From now on an event with this text is looked for. */
    void want(String text) {
        lock.lock();
        try {
            wanted = text;
            isWantedHere = false;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for it; returns whether it came. */
    boolean awaitWanted(Duration limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = limit.toNanos();
            while (!isWantedHere && end == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            return isWantedHere;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for the end; returns whether it came. */
    boolean awaitEnd(Duration limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = limit.toNanos();
            while (end == null && left > 0) {
                left = changed.awaitNanos(left);
            }
            return end != null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the position behind the last event; empty when the server names none. */
    String position() {
        lock.lock();
        try {
            return id;
        } finally {
            lock.unlock();
        }
    }

    /** Returns why it has ended; null while it is open. */
    @Nullable
    String end() {
        lock.lock();
        try {
            return end;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the longest time without a byte since the last call, and begins anew. */
    Duration takeLongestSilence() {
        lock.lock();
        try {
            long now = System.nanoTime();
            long longest = Math.max(longestSilence, now - heard);
            longestSilence = 0;
            heard = now;
            return Duration.ofNanos(longest);
        } finally {
            lock.unlock();
        }
    }

    /** Cuts the connection that carries it, without a word to the server. */
    @Override
    public void close() {
        client.shutdownNow();
    }
}
