package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes the frames of all streams of a connection to one WebSocket, in the order in which they were produced.
 *
 * <p>The lock guards what waits. It is never held while writing, nor while telling a stream that it was written.
 */
final class SocketWriter implements RemoteConnection.Socket {
    /** Frames of one stream, of which some have been written. */
    private static final class Batch {
        final List<StreamLog.Frame> frames;

        /** Run when a part of one was taken. */
        final Runnable progress;

        final Consumer<@Nullable Throwable> done;
        int next;

        Batch(List<StreamLog.Frame> frames, Runnable progress, Consumer<@Nullable Throwable> done) {
            this.frames = frames;
            this.progress = progress;
            this.done = done;
        }

        long number() {
            return frames.get(next).number();
        }
    }

    private final Exchange.Link link;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final PriorityQueue<Batch> waiting = new PriorityQueue<>(Comparator.comparingLong(Batch::number));

    @GuardedBy("lock")
    private boolean writing;

    @GuardedBy("lock")
    private boolean pumping;

    @GuardedBy("lock")
    private boolean held;

    @GuardedBy("lock")
    private @Nullable Throwable failure;

    /** Where the frames of streams go that have not ended. */
    @GuardedBy("lock")
    private final Set<Sink> streams = new LinkedHashSet<>();

    @GuardedBy("lock")
    private int code;

    @GuardedBy("lock")
    private String reason = "";

    /** Whether it is closed behind all streams, or at once. */
    @GuardedBy("lock")
    private boolean waits = true;

    @GuardedBy("lock")
    private boolean closed;

    /** When the client took something last, or there was nothing to take. */
    @GuardedBy("lock")
    private long since;

    /** When the client took a part of something large, which needs that it lives. */
    @GuardedBy("lock")
    private long tookAt;

    SocketWriter(Exchange.Link link, Time time) {
        this.link = link;
        this.time = time;
        this.since = time.nanoTime();
        this.tookAt = since;
    }

    /** Returns when the client took a part of something large last. */
    long tookAt() {
        lock.lock();
        try {
            return tookAt;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public FrameSink sink(String session) {
        Sink sink = new Sink(session);
        lock.lock();
        try {
            streams.add(sink);
        } finally {
            lock.unlock();
        }
        return sink;
    }

    @Override
    public void hold(Runnable action) {
        setHeld(true);
        try {
            action.run();
        } finally {
            setHeld(false);
            pump();
        }
    }

    private void setHeld(boolean now) {
        lock.lock();
        try {
            held = now;
        } finally {
            lock.unlock();
        }
    }

    /** Sends a message that belongs to no stream, before all that wait. */
    void send(RawJson json) {
        write(List.of(new StreamLog.Frame(0, json)), () -> {}, failed -> {});
    }

    /**
     * Sends a message that belongs to no stream.
     *
     * @param then run when it was taken, unless the socket is gone
     */
    void send(RawJson json, Runnable then) {
        write(List.of(new StreamLog.Frame(0, json)), () -> {}, failed -> {
            if (failed == null) {
                then.run();
            }
        });
    }

    private void write(List<StreamLog.Frame> frames, Runnable progress, Consumer<@Nullable Throwable> done) {
        Throwable failed;
        lock.lock();
        try {
            failed = failure;
            if (failed == null) {
                waiting.add(new Batch(frames, progress, done));
            }
        } finally {
            lock.unlock();
        }
        if (failed == null) {
            pump();
        } else {
            done.accept(failed);
        }
    }

    private void pump() {
        lock.lock();
        try {
            if (pumping) {
                return;
            }
            pumping = true;
        } finally {
            lock.unlock();
        }
        for (Batch batch = next(); batch != null; batch = next()) {
            Batch of = batch;
            link.send(of.frames.get(of.next).json(), () -> progressed(of), failed -> written(of, failed));
        }
        closeIfDone();
    }

    private void progressed(Batch batch) {
        lock.lock();
        try {
            since = time.nanoTime();
            tookAt = since;
        } finally {
            lock.unlock();
        }
        batch.progress.run();
    }

    private @Nullable Batch next() {
        lock.lock();
        try {
            Batch batch = writing || held || hasNoMore() ? null : waiting.poll();
            if (batch == null) {
                pumping = false;
            } else {
                writing = true;
                since = time.nanoTime();
            }
            return batch;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether nothing more is written: a stream whose agent says something all the time would keep a socket
     * open that is to be closed at once.
     */
    @GuardedBy("lock")
    private boolean hasNoMore() {
        Batch first = waiting.peek();
        return first == null || (code != 0 && !waits && first.number() > 0);
    }

    private void written(Batch batch, @Nullable Throwable failed) {
        boolean isDone;
        lock.lock();
        try {
            isDone = failed != null || ++batch.next == batch.frames.size();
            if (!isDone) {
                waiting.add(batch);
            }
        } finally {
            lock.unlock();
        }
        if (failed != null) {
            fail(failed);
        }
        if (isDone) {
            // The stream adds what follows before another stream's later frame is written.
            batch.done.accept(failed);
        }
        boolean pumps;
        lock.lock();
        try {
            writing = false;
            pumps = !pumping;
        } finally {
            lock.unlock();
        }
        if (pumps) {
            pump();
        }
    }

    /** The socket is gone: the streams keep what was not written, and have no reader any more. */
    void fail(Throwable failed) {
        List<Batch> lost;
        List<Sink> cut;
        lock.lock();
        try {
            failure = failure == null ? failed : failure;
            closed = true;
            lost = new ArrayList<>(waiting);
            waiting.clear();
            cut = new ArrayList<>(streams);
            streams.clear();
        } finally {
            lock.unlock();
        }
        for (Batch batch : lost) {
            batch.done.accept(failed);
        }
        for (Sink sink : cut) {
            sink.gone.run();
        }
    }

    @Override
    public void finish(int closing, String why) {
        lock.lock();
        try {
            if (code == 0) {
                // What came first is why it ends.
                code = closing;
                reason = why;
            }
        } finally {
            lock.unlock();
        }
        closeIfDone();
    }

    /** Closes behind what is being written and what belongs to no stream, whatever streams have to say. */
    @Override
    public void close(int closing, String why) {
        lock.lock();
        try {
            waits = false;
        } finally {
            lock.unlock();
        }
        finish(closing, why);
    }

    private void closeIfDone() {
        int closing;
        String why;
        lock.lock();
        try {
            if (code == 0 || closed || (waits && !streams.isEmpty()) || writing || !hasNoMore()) {
                return;
            }
            closed = true;
            since = time.nanoTime();
            closing = code;
            why = reason;
        } finally {
            lock.unlock();
        }
        link.close(closing, why);
    }

    /** Returns whether the socket is about to be closed. */
    boolean isClosing() {
        lock.lock();
        try {
            return code != 0;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns whether something waits that the client has not taken for so long, or a close that it has not answered.
     */
    boolean isStuck(long nanos) {
        lock.lock();
        try {
            return (writing || closed) && time.nanoTime() - since >= nanos;
        } finally {
            lock.unlock();
        }
    }

    private final class Sink implements FrameSink {
        private final String session;
        private volatile Runnable gone = () -> {};
        private volatile Runnable progress = () -> {};

        Sink(String session) {
            this.session = session;
        }

        @Override
        public void begin(Runnable progressed, Runnable left) {
            progress = progressed;
            gone = left;
        }

        @Override
        public void write(String epoch, List<StreamLog.Frame> frames, Consumer<@Nullable Throwable> done) {
            SocketWriter.this.write(frames, progress, done);
        }

        /** Who comes back on a WebSocket without a cursor goes on at the beginning. */
        @Override
        public void place(Cursor cursor, Consumer<@Nullable Throwable> done) {
            done.accept(null);
        }

        @Override
        public void end(Runnable done) {
            lock.lock();
            try {
                streams.remove(this);
            } finally {
                lock.unlock();
            }
            done.run();
            closeIfDone();
        }

        @Override
        public void expire(Runnable done) {
            send(SocketSession.failed(session, Wire.CURSOR_EXPIRED));
            end(done);
        }

        @Override
        public void abort() {
            link.abort();
        }

        @Override
        public boolean isWatched() {
            return false;
        }
    }
}
