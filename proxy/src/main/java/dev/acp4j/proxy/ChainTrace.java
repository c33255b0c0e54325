package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.Unstable;
import dev.acp4j.trace.TraceSink;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records what passes the components of a chain: each message once for each hop, without secrets, and with a number
 * that its hops have in common. For one chain.
 *
 * <pre>{@code
 * try (var file = TraceFile.create(path, "my chain");
 *         var trace = ChainTrace.to(file, Redaction.SECRETS, why -> log(why))) {
 *     Conductor.builder().proxy(brief).agent(launch).trace(trace).build().serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>It never slows the chain: a thread of its own redacts and writes. What comes faster than it can be written is left
 * out and counted, and when the sink fails, the recording stops and the chain goes on. All methods may be called from
 * any thread.
 */
@Unstable
public final class ChainTrace implements AutoCloseable {
    /** What sends notices into the trace. */
    static final String CONDUCTOR = "conductor";

    private static final long MOST_WAITING = 32 << 20;
    private static final int BESIDE_MESSAGE = 200;
    private static final Duration LAST_WORDS = Duration.ofSeconds(5);

    /** Something to record, as long as it waits. */
    private abstract static class Piece {
        /** How many pieces before this one found no room. */
        private long lost;

        private final long nanos = System.nanoTime();

        abstract void record(Flows flows, Tracer tracer);

        abstract long bytes();
    }

    private final TraceSink sink;
    private final Consumer<String> onStop;
    private final PieceTime time = new PieceTime();
    private final long began = time.nanos;
    private final Thread writer;

    /** For the thread that writes. */
    private Tracer tracer;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Piece> waiting = new ArrayDeque<>();

    @GuardedBy("lock")
    private long bytesWaiting;

    /** How many pieces have found no room since the last one that did. */
    @GuardedBy("lock")
    private long lost;

    @GuardedBy("lock")
    private long dropped;

    @GuardedBy("lock")
    private boolean closing;

    private volatile boolean stopped;

    private ChainTrace(TraceSink sink, Redaction redaction, Consumer<String> onStop) {
        this.onStop = onStop;
        this.sink = sink;
        this.tracer = new Tracer(sink, redaction, time);
        this.writer = Thread.ofPlatform().daemon().name("acp4j-chain-trace").unstarted(this::writeAll);
    }

    /**
     * Begins a recording.
     *
     * @param sink receives the events, on one thread; it may be slow. Not closed
     * @param redaction hides the secrets
     * @param onStop receives once, in a sentence, why nothing more is recorded
     */
    public static ChainTrace to(TraceSink sink, Redaction redaction, Consumer<String> onStop) {
        ChainTrace trace = new ChainTrace(sink, redaction, onStop);
        trace.writer.start();
        return trace;
    }

    /** Records a line that a component has written to its standard error. Never blocks. */
    public void stderr(String id, String line) {
        text(id, line);
    }

    /** Hides other secrets from now on: for what is added to a running chain. Never blocks. */
    public void hide(Redaction redaction) {
        offer(new Piece() {
            @Override
            void record(Flows flows, Tracer unused) {
                long now = time.nanos;
                time.nanos = began;
                tracer = new Tracer(sink, redaction, time);
                time.nanos = now;
            }

            @Override
            long bytes() {
                return 0;
            }
        });
    }

    /** Returns how many events were left out, because those before them could not be written in time. */
    public long dropped() {
        lock.lock();
        try {
            return dropped;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nothing more is recorded, because the sink has failed. */
    public boolean isStopped() {
        return stopped;
    }

    // ---- what passes: never blocks

    /** Records what a user should know, in the place where it happened. */
    void notice(String sentence) {
        text(CONDUCTOR, sentence);
    }

    private void text(String from, String text) {
        offer(new Piece() {
            @Override
            void record(Flows flows, Tracer tracer) {
                tracer.stderr(from, text);
            }

            @Override
            long bytes() {
                return text.length();
            }
        });
    }

    /** Records the components, from the client to the agent. */
    void chain(List<String> ends) {
        offer(new Piece() {
            @Override
            void record(Flows flows, Tracer tracer) {
                tracer.chain(ends);
            }

            @Override
            long bytes() {
                return 0;
            }
        });
    }

    /** Records a hop of a request or a notification. */
    void call(Hops.Way way, Message message) {
        offer(new Piece() {
            @Override
            void record(Flows flows, Tracer tracer) {
                tracer.message(way.from(), way.to(), message, flows.call(way, message));
            }

            @Override
            long bytes() {
                return message.length();
            }
        });
    }

    /**
     * Records a hop of an answer.
     *
     * @param way the way of the request
     * @param id the id that the request had on its way
     */
    void answer(Hops.Way way, RequestId id, Message answer) {
        offer(new Piece() {
            @Override
            void record(Flows flows, Tracer tracer) {
                Flows.Asked asked = flows.answer(way, id);
                tracer.message(asked.by(), way.from(), withId(answer, id), asked.flow());
            }

            @Override
            long bytes() {
                return answer.length();
            }
        });
    }

    private static Message withId(Message answer, RequestId id) {
        if (id.equals(answer.id())) {
            return answer;
        }
        var result = answer.result();
        var error = answer.error();
        if (result != null) {
            return Message.result(id, result);
        }
        return error == null ? answer : Message.error(id, RpcError.ofAnswer(error));
    }

    private void offer(Piece piece) {
        if (stopped) {
            return;
        }
        long bytes = piece.bytes() + BESIDE_MESSAGE;
        lock.lock();
        try {
            if (!waiting.isEmpty() && bytesWaiting + bytes > MOST_WAITING) {
                lost++;
                dropped++;
                return;
            }
            piece.lost = lost;
            lost = 0;
            bytesWaiting += bytes;
            waiting.add(piece);
            changed.signal();
        } finally {
            lock.unlock();
        }
    }

    // ---- the thread that writes

    private void writeAll() {
        Flows flows = new Flows();
        Piece piece;
        while ((piece = next()) != null) {
            time.nanos = piece.nanos;
            try {
                missing(piece.lost);
                piece.record(flows, tracer);
            } catch (RuntimeException | OutOfMemoryError e) {
                stop(String.valueOf(e));
                return;
            }
            IOException failure = tracer.failure();
            if (failure != null) {
                stop(String.valueOf(failure.getMessage()));
                return;
            }
        }
        missing(takeLost());
    }

    private void missing(long lost) {
        if (lost > 0) {
            tracer.stderr(CONDUCTOR, lost + " events are missing here: they came faster than they could be written");
        }
    }

    private long takeLost() {
        lock.lock();
        try {
            long taken = lost;
            lost = 0;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next piece, waiting for it; null at the end. */
    private @Nullable Piece next() {
        lock.lock();
        try {
            while (waiting.isEmpty() && !closing) {
                changed.awaitUninterruptibly();
            }
            Piece piece = waiting.poll();
            if (piece != null) {
                bytesWaiting -= piece.bytes() + BESIDE_MESSAGE;
            }
            return piece;
        } finally {
            lock.unlock();
        }
    }

    private void stop(String why) {
        stopped = true;
        lock.lock();
        try {
            waiting.clear();
            bytesWaiting = 0;
        } finally {
            lock.unlock();
        }
        onStop.accept("The recording has stopped, the chain goes on: " + why);
    }

    /** Ends the recording: waits until what has passed is written, for five seconds at most. */
    @Override
    public void close() {
        lock.lock();
        try {
            closing = true;
            changed.signal();
        } finally {
            lock.unlock();
        }
        try {
            boolean unused = writer.join(LAST_WORDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The time of the piece that is being recorded. For one thread. */
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
