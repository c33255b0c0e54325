package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One stream to the client, that of the connection or of a session: a log, and at most one reader of it. Frames are
 * written one batch at a time, driven by the end of the one before; an idle stream has no thread.
 *
 * <p>The lock guards the reader and what it does. It is taken before the lock of the log, and never held while writing
 * or telling the owner.
 */
final class OutboundStream {
    /** So much is written at once, and one frame however large. */
    private static final int BATCH_BYTES = 32 * 1024;

    /** What the connection hears; without the lock. */
    interface Owner {
        /** Frames were sent. */
        void sent(OutboundStream stream);

        /**
         * A reader has gone: its end is out, or it was lost.
         *
         * @param wasEvents whether it read a stream of events, and not a WebSocket
         */
        void left(OutboundStream stream, boolean wasEvents);
    }

    /** What became of an attempt to read. */
    enum Refusal {
        IN_USE,
        CURSOR_UNKNOWN,
        CURSOR_EXPIRED
    }

    /**
     * How a client wants to read.
     *
     * @param cursor behind which frame; null to go on where nothing was sent yet
     * @param state what is sent behind the replay, without cursors
     * @param valid whether the client's credentials still hold
     * @param force whether to take over from another reader without a cursor, too
     */
    record Wish(@Nullable Cursor cursor, List<RawJson> state, BooleanSupplier valid, boolean force) {}

    /** One client that reads. */
    final class Reader {
        private final FrameSink sink;
        private final BooleanSupplier valid;
        private long position;
        private long stateAt;
        private List<RawJson> state = List.of();
        private boolean writing;
        private boolean pumping;
        private boolean leaving;
        private boolean over;
        private boolean ending;
        private boolean expired;

        /** Whether the client is to learn where the stream is, since the next message may be long in coming. */
        private boolean places;

        /** Whom this one takes over from. */
        private @Nullable Reader before;

        private long since;

        Reader(FrameSink sink, Wish wish, long position, boolean opening) {
            this.sink = sink;
            this.valid = wish.valid;
            this.position = position;
            this.writing = opening;
            this.since = time.nanoTime();
        }

        /** Returns whether nothing has happened for so long, where that means something. */
        private boolean waits(long nanos) {
            return sink.isWatched() && time.nanoTime() - since >= nanos;
        }

        /** The headers are out, or could not be sent: reading begins. */
        void opened(@Nullable Throwable failure) {
            Reader old;
            lock.lock();
            try {
                old = before;
                before = null;
            } finally {
                lock.unlock();
            }
            if (old != null) {
                pump(old);
            }
            written(this, 0, failure);
        }
    }

    private final Time time;
    private final Owner owner;
    final StreamLog log;
    private final boolean durable;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable Reader reader;

    /** Those that another one has taken over from, or that have got everything, until their end is out. */
    @GuardedBy("lock")
    private final List<Reader> leaving = new ArrayList<>(0);

    /** The number up to which a client has certainly got everything, without having named a cursor. */
    @GuardedBy("lock")
    private long confirmed;

    /** What of this is counted as not sent; negative when it no longer is. Guarded by the lock of the owner. */
    private long counted;

    /** What of this is counted as kept. Guarded by the lock of the owner. */
    private long countedKept;

    /** When a client has last taken something that it had not got. */
    @GuardedBy("lock")
    private long progressedAt;

    /** No frame will follow. */
    @GuardedBy("lock")
    private boolean ended;

    /** A client was sent everything up to the end. */
    @GuardedBy("lock")
    private boolean finished;

    OutboundStream(StreamLog log, boolean durable, Time time, Owner owner) {
        this.log = log;
        this.durable = durable;
        this.time = time;
        this.owner = owner;
        this.progressedAt = time.nanoTime();
    }

    /** Adds a frame, which {@link #pump} then sends. Returns its size. */
    int append(long number, RawJson json) {
        lock.lock();
        try {
            RawJson frame = durable ? withCursor(json, number) : json;
            log.append(new StreamLog.Frame(number, frame));
            return frame.length();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns by how much the bytes that were not sent have grown since the last call. Of the owner, under its lock.
     */
    long countUnsent() {
        if (counted < 0) {
            return 0;
        }
        long before = counted;
        counted = log.unsentBytes();
        return counted - before;
    }

    /** Returns by how much the bytes that are kept have grown since the last call. Of the owner, under its lock. */
    long countKept() {
        if (counted < 0) {
            return 0;
        }
        long before = countedKept;
        countedKept = log.keptBytes();
        return countedKept - before;
    }

    /** Counts no more. Returns what was counted as not sent. Of the owner, under its lock. */
    long uncount() {
        long before = Math.max(counted, 0);
        counted = -1;
        return before;
    }

    /** Returns what was counted as kept, which is nothing from now on. Of the owner, under its lock. */
    long uncountKept() {
        long before = countedKept;
        countedKept = 0;
        return before;
    }

    /** Returns when a client has last taken something that it had not got; at first, when the stream began. */
    long progressedAt() {
        lock.lock();
        try {
            return progressedAt;
        } finally {
            lock.unlock();
        }
    }

    private RawJson withCursor(RawJson json, long number) {
        return MetaMember.put(json, Wire.CURSOR, RawJson.string(new Cursor(log.epoch(), number).toString()));
    }

    /** Returns the cursor behind the last frame. */
    Cursor end() {
        lock.lock();
        try {
            return place(log.last());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the cursor behind what a client has certainly got; that before the first frame when nothing is certain.
     */
    Cursor confirmed() {
        lock.lock();
        try {
            return new Cursor(log.epoch(), confirmed);
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a client has got everything up to a cursor. */
    void confirm(Cursor cursor) {
        lock.lock();
        try {
            if (isOf(cursor)) {
                confirmed = Math.max(confirmed, cursor.number());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the cursor behind what the reader was written; null when that is confirmed, or nobody reads. */
    @Nullable
    Cursor unconfirmed() {
        lock.lock();
        try {
            return reader == null || reader.position <= confirmed ? null : new Cursor(log.epoch(), reader.position);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether the frame with this number is there. */
    boolean has(long number) {
        return log.find(number) == StreamLog.Place.KNOWN;
    }

    /** Returns whether a cursor is of this stream, since its last new beginning. */
    boolean isOf(Cursor cursor) {
        return cursor.epoch().equals(log.epoch());
    }

    /** Returns the cursor of the last frame up to a number. */
    @GuardedBy("lock")
    private Cursor place(long upTo) {
        long number = upTo;
        if (upTo > 0 && log.find(upTo) != StreamLog.Place.KNOWN) {
            // It was in the epoch before this one.
            number = 0;
            for (StreamLog.Frame frame : log.read(0, Long.MAX_VALUE)) {
                number = frame.number() <= upTo ? frame.number() : number;
            }
        }
        return new Cursor(log.epoch(), number);
    }

    /** Begins a new epoch; of what was not sent, only some frames stay. */
    void restart(Predicate<? super StreamLog.Frame> stays) {
        lock.lock();
        try {
            List<StreamLog.Frame> unsent = log.read(log.lastSent(), Long.MAX_VALUE);
            log.restart();
            confirmed = 0;
            for (StreamLog.Frame frame : unsent) {
                if (stays.test(frame)) {
                    log.append(new StreamLog.Frame(frame.number(), withCursor(frame.json(), frame.number())));
                }
            }
            if (reader != null) {
                reader.places = durable;
            }
        } finally {
            lock.unlock();
        }
    }

    boolean hasReader() {
        lock.lock();
        try {
            return reader != null;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether nobody reads, and nobody is being written an end. */
    boolean isQuiet() {
        lock.lock();
        try {
            return reader == null && leaving.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client reads and has still to get something, sent before to another one or not. */
    boolean isUnfinished() {
        lock.lock();
        try {
            return reader != null && reader.position < log.last();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client was sent everything up to the end. */
    boolean isFinished() {
        lock.lock();
        try {
            return finished;
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a client reads and has not been sent everything. */
    boolean isBehind() {
        lock.lock();
        try {
            return reader != null && log.unsentBytes() > 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns why a client may not read as it wants; null when it may. */
    @Nullable
    Refusal refusal(Wish wish) {
        lock.lock();
        try {
            return refusalNow(wish);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable Refusal refusalNow(Wish wish) {
        Cursor cursor = wish.cursor;
        if (cursor == null) {
            return reader == null || wish.force ? null : Refusal.IN_USE;
        }
        if (!cursor.isBeginning() && !isOf(cursor)) {
            return Refusal.CURSOR_UNKNOWN;
        }
        return switch (log.find(cursor.number())) {
            case KNOWN -> null;
            case EXPIRED -> Refusal.CURSOR_EXPIRED;
            // Nothing has been dropped yet, so the beginning is there.
            case UNKNOWN -> cursor.number() == 0 ? null : Refusal.CURSOR_UNKNOWN;
        };
    }

    /**
     * Makes a client the reader; one before is ended cleanly when this one is {@linkplain Reader#opened opened}.
     *
     * @param opening whether the client has to be opened before anything is written
     * @return the reader, or null when {@link #refusal} says why not
     */
    @Nullable
    Reader attach(FrameSink sink, Wish wish, boolean opening) {
        lock.lock();
        try {
            if (refusalNow(wish) != null) {
                return null;
            }
            Reader next = new Reader(sink, wish, wish.cursor == null ? log.lastSent() : wish.cursor.number(), opening);
            next.places = durable && (wish.cursor == null || wish.cursor.isBeginning());
            next.stateAt =
                    wish.cursor == null ? next.position : place(log.last()).number();
            next.state = wish.state;
            next.before = reader;
            if (reader != null) {
                depart(reader);
            }
            reader = next;
            sink.begin(() -> progressed(next), () -> leave(next));
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Takes no more frames: when all are sent, the reader ends, and so does a later one. */
    void finish() {
        markEnded();
        pump();
    }

    /** Ends the reader behind what it is being sent now. */
    void cut() {
        markEnded();
        detach();
    }

    /** Ends all readers at once. */
    void abort() {
        markEnded();
        List<Reader> all;
        lock.lock();
        try {
            all = new ArrayList<>(leaving);
            if (reader != null) {
                all.add(reader);
            }
        } finally {
            lock.unlock();
        }
        all.forEach(this::abort);
    }

    private void abort(Reader of) {
        leave(of);
        of.sink.abort();
    }

    /** Takes no more frames, and leaves it to the caller to {@link #pump}. */
    void markEnded() {
        lock.lock();
        try {
            ended = true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the reader behind what it is being sent now; another may come. */
    void detach() {
        Reader now;
        lock.lock();
        try {
            now = reader;
        } finally {
            lock.unlock();
        }
        if (now != null) {
            detach(now);
        }
    }

    private void detach(Reader of) {
        lock.lock();
        try {
            if (reader != of) {
                return;
            }
            depart(of);
        } finally {
            lock.unlock();
        }
        pump(of);
    }

    /** The reader ends behind what it is being sent now. */
    @GuardedBy("lock")
    private void depart(Reader of) {
        of.since = time.nanoTime();
        if (!of.leaving) {
            of.leaving = true;
            leaving.add(of);
        }
        reader = reader == of ? null : reader;
    }

    /** Sends what is there. */
    void pump() {
        Reader now;
        lock.lock();
        try {
            now = reader;
        } finally {
            lock.unlock();
        }
        if (now != null) {
            pump(now);
        }
    }

    private void pump(Reader of) {
        lock.lock();
        try {
            if (of.pumping) {
                // The thread that does will see what is new.
                return;
            }
            of.pumping = true;
        } finally {
            lock.unlock();
        }
        while (true) {
            List<StreamLog.Frame> batch;
            String epoch;
            Cursor place;
            lock.lock();
            try {
                place = nextPlace(of);
                batch = place == null ? next(of) : List.of();
                if (batch == null) {
                    of.pumping = false;
                    if (!of.ending) {
                        return;
                    }
                    of.ending = false;
                    break;
                }
                epoch = epoch();
                of.writing = true;
                of.since = time.nanoTime();
            } finally {
                lock.unlock();
            }
            if (place == null) {
                write(of, epoch, batch);
            } else {
                of.sink.place(place, failure -> written(of, 0, failure));
            }
        }
        if (expired(of)) {
            of.sink.expire(() -> leave(of));
        } else {
            of.sink.end(() -> leave(of));
        }
    }

    private boolean expired(Reader of) {
        lock.lock();
        try {
            return of.expired;
        } finally {
            lock.unlock();
        }
    }

    private String epoch() {
        return durable ? log.epoch() : "";
    }

    private void write(Reader to, String epoch, List<StreamLog.Frame> batch) {
        long last = batch.getLast().number();
        to.sink.write(epoch, batch, failure -> written(to, last, failure));
    }

    /** Returns the place that the client learns now; null for none. */
    @GuardedBy("lock")
    private @Nullable Cursor nextPlace(Reader of) {
        if (!of.places || of.writing || of.over || of.leaving) {
            return null;
        }
        of.places = false;
        return place(of.position);
    }

    /** Returns what is to be written next; null for nothing, and then the reader may be over. */
    @GuardedBy("lock")
    private @Nullable List<StreamLog.Frame> next(Reader of) {
        if (of.writing || of.over) {
            return null;
        }
        if (of.leaving) {
            end(of);
            return null;
        }
        boolean replays = !of.state.isEmpty();
        if (replays && of.position >= of.stateAt) {
            List<StreamLog.Frame> state =
                    of.state.stream().map(json -> new StreamLog.Frame(0, json)).toList();
            of.state = List.of();
            return state;
        }
        List<StreamLog.Frame> frames = log.read(of.position, BATCH_BYTES);
        // Asked after reading, since the log may be trimmed at any time.
        if (log.find(of.position) == StreamLog.Place.EXPIRED) {
            of.expired = true;
            end(of);
            return null;
        }
        if (replays) {
            long until = of.stateAt;
            frames = frames.stream().filter(frame -> frame.number() <= until).toList();
        }
        if (!frames.isEmpty()) {
            return frames;
        }
        if (ended) {
            finished = true;
            end(of);
        }
        return null;
    }

    @GuardedBy("lock")
    private void end(Reader of) {
        depart(of);
        of.over = true;
        of.ending = true;
    }

    private void written(Reader by, long last, @Nullable Throwable failure) {
        boolean gone = failure != null;
        boolean pumps;
        lock.lock();
        try {
            by.writing = false;
            by.since = time.nanoTime();
            if (gone) {
                by.over = true;
            } else if (last > by.position) {
                by.position = last;
                progressedAt = by.since;
            }
            if (!gone) {
                log.sent(by.position);
            }
            pumps = !by.pumping && !gone;
        } finally {
            lock.unlock();
        }
        if (gone) {
            leave(by);
            return;
        }
        owner.sent(this);
        if (pumps) {
            pump(by);
        }
    }

    private void progressed(Reader of) {
        lock.lock();
        try {
            of.since = time.nanoTime();
            progressedAt = of.since;
        } finally {
            lock.unlock();
        }
    }

    /** The reader is gone, however that became known. */
    private void leave(Reader gone) {
        lock.lock();
        try {
            gone.over = true;
            if (!leaving.remove(gone) && reader != gone) {
                return;
            }
            reader = reader == gone ? null : reader;
        } finally {
            lock.unlock();
        }
        owner.left(this, gone.sink.isWatched());
    }

    /**
     * Looks at the clock: gives a sign of life, drops a client that takes nothing or is no longer allowed to read, and
     * forgets old frames.
     */
    void tick(long keepAliveNanos, long stallNanos) {
        log.trim();
        List<Reader> stuck = new ArrayList<>();
        Reader now;
        Reader silent = null;
        lock.lock();
        try {
            now = reader;
            for (Reader of : leaving) {
                if (of.waits(stallNanos)) {
                    stuck.add(of);
                }
            }
            if (now != null && now.writing && now.waits(stallNanos)) {
                stuck.add(now);
            } else if (now != null && !now.writing && now.waits(keepAliveNanos)) {
                now.writing = true;
                now.since = time.nanoTime();
                silent = now;
            }
        } finally {
            lock.unlock();
        }
        stuck.forEach(this::abort);
        if (silent != null) {
            Reader quiet = silent;
            quiet.sink.write("", List.of(), failure -> written(quiet, 0, failure));
        }
        if (now != null && !now.valid.getAsBoolean()) {
            detach(now);
        }
    }
}
