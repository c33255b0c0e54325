package dev.acp4j.cli.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.cli.command.IoProblem;
import dev.acp4j.cli.command.TraceFolder;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Time;
import dev.acp4j.trace.TraceFile;
import dev.acp4j.trace.TraceHeader;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records forwarded bytes on a thread of its own, so that the forwarding thread waits neither for the disk nor for
 * redaction. Bytes that arrive faster than they can be recorded are omitted, and the trace reports that.
 *
 * <p>The lock guards the buffered bytes. It is held for a few instructions; nothing is written or decoded while holding
 * it.
 */
final class Recorder implements AutoCloseable {
    private static final long MOST_WAITING = 32 << 20;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    private final Consumer<String> onFailure;
    private final String client;
    private final String agent;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Piece> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytesWaiting;

    @GuardedBy("lock")
    private boolean isClosing;

    /** Whether recording has stopped, because there is no trace or it could not be written. */
    private volatile boolean isDeaf;

    private @Nullable Thread thread;

    /** Some bytes of a stream; none at its end. */
    private static final class Piece {
        private final Tap tap;
        private final byte[] bytes;

        /** The number of bytes before these that were not recorded. */
        private final long lost;

        /** The time of their arrival. */
        private final long nanos = System.nanoTime();

        Piece(Tap tap, byte[] bytes, long lost) {
            this.tap = tap;
            this.bytes = bytes;
            this.lost = lost;
        }

        /** Returns the memory it takes: there may be many small ones. */
        int size() {
            return bytes.length + 80;
        }
    }

    /** Records the bytes of one stream. For use by one thread. */
    final class Tap {
        private final Origin origin;
        private @Nullable TracedLines lines;
        private long lost;

        private Tap(Origin origin) {
            this.origin = origin;
        }

        /** Records a copy of bytes. Never blocks. */
        void took(byte[] bytes, int length) {
            if (!isDeaf) {
                lost = offer(new Piece(this, Arrays.copyOf(bytes, length), lost)) ? 0 : lost + length;
            }
        }

        /** Records the end of the stream. */
        void ended() {
            if (!isDeaf) {
                boolean unused = offer(new Piece(this, new byte[0], lost));
            }
        }
    }

    /** The streams. */
    private enum Origin {
        CLIENT,
        AGENT,
        STDERR
    }

    /**
     * Prepares a recorder that records nothing yet.
     *
     * @param onFailure receives once the reason why recording stopped
     */
    Recorder(String client, String agent, Consumer<String> onFailure) {
        this.client = client;
        this.agent = agent;
        this.onFailure = onFailure;
    }

    /**
     * Starts recording. The recorder's thread opens the file, because some file systems, and pipes, block.
     *
     * @param onBegin receives the path of the trace
     */
    void begin(@Nullable String output, String subject, Redaction redaction, Consumer<Path> onBegin) {
        // Now, not when the file is open: the first bytes may arrive before that.
        TraceHeader header = new TraceHeader(Instant.now(), redaction.redact(subject));
        PieceTime time = new PieceTime();
        thread = Thread.ofPlatform().daemon().name("acp-recorder").start(() -> {
            try {
                Path file = TraceFolder.file(output);
                TraceFile trace = TraceFile.create(file, header);
                onBegin.accept(file);
                run(trace, redaction, time);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                fail(IoProblem.text(e));
            }
        });
    }

    Tap ofClient() {
        return new Tap(Origin.CLIENT);
    }

    Tap ofAgent() {
        return new Tap(Origin.AGENT);
    }

    Tap ofStderr() {
        return new Tap(Origin.STDERR);
    }

    /** Waits for a limited time until the buffered bytes are recorded. */
    @Override
    public void close() {
        lock.lock();
        try {
            isClosing = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        Thread running = thread;
        if (running != null) {
            try {
                boolean unused = running.join(LAST_WORDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private boolean offer(Piece piece) {
        lock.lock();
        try {
            if (bytesWaiting + piece.size() > MOST_WAITING) {
                return false;
            }
            bytesWaiting += piece.size();
            waiting.add(piece);
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private @Nullable Piece next() throws InterruptedException {
        lock.lock();
        try {
            while (waiting.isEmpty() && !isClosing) {
                changed.await();
            }
            Piece piece = waiting.poll();
            if (piece != null) {
                bytesWaiting -= piece.size();
            }
            return piece;
        } finally {
            lock.unlock();
        }
    }

    private void run(TraceFile trace, Redaction redaction, PieceTime time) throws IOException {
        try (trace) {
            Tracer tracer = new Tracer(trace, redaction, time);
            Piece piece;
            while ((piece = next()) != null) {
                time.nanos = piece.nanos;
                record(piece, tracer);
                IOException failure = tracer.failure();
                if (failure != null) {
                    fail(IoProblem.text(failure));
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void record(Piece piece, Tracer tracer) {
        Tap tap = piece.tap;
        TracedLines lines = tap.lines;
        if (lines == null) {
            lines = switch (tap.origin) {
                case CLIENT -> TracedLines.messages(tracer, client, agent);
                case AGENT -> TracedLines.messages(tracer, agent, client);
                case STDERR -> TracedLines.stderr(tracer, agent);
            };
            tap.lines = lines;
        }
        if (piece.lost > 0) {
            lines.lost(piece.lost);
        }
        if (piece.bytes.length == 0) {
            lines.end();
        } else {
            lines.add(piece.bytes);
        }
    }

    private void fail(String why) {
        if (isDeaf) {
            return;
        }
        isDeaf = true;
        lock.lock();
        try {
            waiting.clear();
            bytesWaiting = 0;
        } finally {
            lock.unlock();
        }
        onFailure.accept(why);
    }

    /** A clock that shows the arrival time of the bytes being recorded. For use by one thread. */
    private static final class PieceTime implements Time {
        private long nanos = System.nanoTime();

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void await(ReentrantLock lock, Condition condition, long time) {
            throw new UnsupportedOperationException("a time that has passed cannot be waited for");
        }
    }
}
