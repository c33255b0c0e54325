package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The diagnostics that a server sends by itself, the last ones of each file. A server says which text they are of by
 * its version, or does not say it: then what came after the text was sent counts, once nothing more has come for a
 * while.
 *
 * <p>The lock guards what has come. Waiting threads are woken by each that comes.
 */
final class PublishedDiagnostics {
    /** The most that is kept, in bytes as they came; what came first goes first. */
    private static final long MOST_BYTES = 32L * 1024 * 1024;

    /** What a file takes beside the bytes of its message. */
    private static final int BYTES_BESIDE = 512;

    /**
     * The last ones of a file.
     *
     * @param version of the text that they are of; null if the server does not say it
     * @param number how many were sent before, of any file
     * @param at when they came, in nanoseconds
     */
    record Known(List<Lsp.Diagnostic> diagnostics, @Nullable Integer version, long number, long at, int bytes) {}

    /** What a text must have been seen with for its diagnostics to be current. */
    record Wanted(int version, long after, long afterOthers) {}

    /**
     * What is known of a file at the end of waiting.
     *
     * @param known the last diagnostics; null if there were never any
     * @param isOfText whether they are of the text as it is
     * @param isAfterOthers whether they came after the last change of another file
     */
    record Found(@Nullable Known known, boolean isOfText, boolean isAfterOthers) {}

    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final Map<Path, Known> files = new LinkedHashMap<>();

    @GuardedBy("lock")
    private long number;

    @GuardedBy("lock")
    private long bytes;

    @GuardedBy("lock")
    private boolean ended;

    PublishedDiagnostics(Time time) {
        this.time = time;
    }

    void add(Lsp.Published published, int length) {
        Path file = Lsp.path(published.uri());
        if (file == null) {
            return;
        }
        lock.lock();
        try {
            number++;
            Known before = files.get(file);
            Integer version = published.version();
            if (before != null && version != null && before.version() != null && version < before.version()) {
                return; // It is late: of a text before the one whose diagnostics are known.
            }
            forget(file);
            int taken = length + BYTES_BESIDE;
            files.put(file, new Known(published.diagnostics(), version, number, time.nanoTime(), taken));
            bytes += taken;
            while (bytes > MOST_BYTES && files.size() > 1) {
                forget(files.keySet().iterator().next());
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a file, which is gone. */
    void remove(Path file) {
        lock.lock();
        try {
            forget(file);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void forget(Path file) {
        Known before = files.remove(file);
        bytes -= before == null ? 0 : before.bytes();
    }

    /** The server has ended: nothing more will come. */
    void end() {
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Returns how many were sent so far, to compare with what comes later. */
    long number() {
        lock.lock();
        try {
            return number;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the files that have diagnostics. */
    List<Path> files() {
        lock.lock();
        try {
            List<Path> some = new ArrayList<>();
            files.forEach((file, known) -> {
                if (!known.diagnostics().isEmpty()) {
                    some.add(file);
                }
            });
            return some;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the diagnostics of a text.
     *
     * @param quiet how long nothing more must have come of the file, when the server names no versions
     * @param end when the time is over, in nanoseconds
     * @param endOfOthers when waiting ends for what only a change of another file may have changed
     */
    Found await(Path file, Wanted wanted, Duration quiet, long end, long endOfOthers) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (true) {
                Known known = files.get(file);
                boolean isOfText = known != null && isOf(known, wanted);
                boolean isAfterOthers = known != null && known.number() > wanted.afterOthers();
                long until = known == null || !isOfText
                        ? end
                        : isAfterOthers ? quiet(known, quiet, end) : Math.min(end, endOfOthers);
                long now = time.nanoTime();
                if (ended || now >= until) {
                    return new Found(known, isOfText, isAfterOthers);
                }
                time.await(lock, changed, until - now);
            }
        } finally {
            lock.unlock();
        }
    }

    private static boolean isOf(Known known, Wanted wanted) {
        return known.version() == null ? known.number() > wanted.after() : known.version() >= wanted.version();
    }

    /** Returns when diagnostics of the text count as complete: at once if they name its version. */
    private static long quiet(Known known, Duration quiet, long end) {
        return known.version() != null ? known.at() : Math.min(end, known.at() + quiet.toNanos());
    }
}
