package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A log in memory that is in files, too, by which a later process restores it. The files are segments: each says where
 * it begins, has frames, and up to which of all frames were sent. One is deleted when memory has none of its frames.
 *
 * <p>The lock guards the files, and is held while they are written. It is taken before the lock of the log in memory.
 */
final class FileLog implements StreamLog {
    private static final int SEGMENT_BYTES = 4 * 1024 * 1024;

    // Kinds of records.
    private static final byte BEGIN = 'b';
    private static final byte FRAME = 'f';
    private static final byte SENT = 's';

    /** The connection that the log belongs to. */
    interface Home {
        /** Returns where the next segment of a log goes. */
        Path nextSegment(long log);

        /** Something was written to a file. */
        void written(RecordFile file);

        /** A file could not be written. */
        void failed(IOException problem);

        /** Returns whether the files are still wanted: not when the connection is over, or one could not be written. */
        boolean isKept();
    }

    /** A file, and the number of its last frame. */
    private static final class Segment {
        final RecordFile file;
        long last;

        Segment(RecordFile file, long last) {
            this.file = file;
            this.last = last;
        }
    }

    private final Home home;
    private final long number;
    private final String session;
    private final MemoryLog memory;
    private final ReentrantLock lock = new ReentrantLock();

    /** The last one is written to. */
    @GuardedBy("lock")
    private final ArrayDeque<Segment> segments = new ArrayDeque<>(1);

    /**
     * Creates a log of the stream of a session, with its first segment.
     *
     * @param number which log of its connection it is
     * @param memory a new one
     */
    FileLog(Home home, long number, String session, MemoryLog memory) {
        this.home = home;
        this.number = number;
        this.session = session;
        this.memory = memory;
        lock.lock();
        try {
            begin(0);
        } finally {
            lock.unlock();
        }
    }

    private FileLog(Home home, long number, List<Found> found, MemoryLog memory) {
        this.home = home;
        this.number = number;
        this.session = found.getLast().session;
        this.memory = memory;
        List<Frame> frames = new ArrayList<>();
        lock.lock();
        try {
            for (Found each : found) {
                segments.add(new Segment(each.file, each.last));
                frames.addAll(each.frames);
            }
        } finally {
            lock.unlock();
        }
        memory.restore(found.getLast().epoch, found.getFirst().before, frames, found.getLast().sent);
    }

    /**
     * Restores a log.
     *
     * @param number which log of its connection it is
     * @param segments its segments in their order
     * @param memory a new one
     * @return the log; null when no segment has its beginning
     */
    static @Nullable FileLog restore(Home home, long number, List<Path> segments, MemoryLog memory) throws IOException {
        List<Found> found = new ArrayList<>();
        for (Path path : segments) {
            Found next = Found.read(path);
            if (next.epoch.isEmpty()) {
                // Killed before it had begun.
                next.file.delete();
            } else {
                found.add(next);
            }
        }
        // A log that has begun anew may have been killed before what it had was deleted.
        while (found.size() > 1 && !found.getFirst().epoch.equals(found.getLast().epoch)) {
            found.removeFirst().file.delete();
        }
        // What was not brought to the disk in time is missing behind the place where it was cut.
        for (int i = 1; i < found.size(); i++) {
            if (found.get(i).before != found.get(i - 1).last) {
                while (found.size() > i) {
                    found.removeLast().file.delete();
                }
            }
        }
        return found.isEmpty() ? null : new FileLog(home, number, found, memory);
    }

    /** A segment that is read. */
    private static final class Found {
        final RecordFile file;
        String session = "";
        String epoch = "";
        long before;
        long last;
        long sent;
        final List<Frame> frames = new ArrayList<>();

        private Found(Path path) throws IOException {
            file = RecordFile.open(path, this::take);
        }

        static Found read(Path path) throws IOException {
            return new Found(path);
        }

        private void take(byte kind, ByteBuffer body) throws IOException {
            try {
                switch (kind) {
                    case BEGIN -> {
                        before = body.getLong();
                        last = before;
                        sent = body.getLong();
                        epoch = RecordFile.text(body);
                        session = RecordFile.text(body);
                    }
                    case FRAME -> {
                        last = body.getLong();
                        byte[] json = new byte[body.remaining()];
                        body.get(json);
                        frames.add(new Frame(last, RawJson.wrap(json, 0, json.length)));
                    }
                    case SENT -> sent = body.getLong();
                    default -> throw new IOException("a record of the unknown kind " + kind);
                }
            } catch (BufferUnderflowException e) {
                throw new IOException("a record of the kind " + kind + " is too short", e);
            }
        }
    }

    /** Returns the session of the stream. */
    String session() {
        return session;
    }

    /** Begins a segment behind the frame with a number. */
    @GuardedBy("lock")
    private void begin(long before) {
        try {
            if (home.isKept()) {
                Segment next = new Segment(RecordFile.create(home.nextSegment(number)), before);
                segments.add(next);
                ByteBuffer texts = RecordFile.texts(memory.epoch(), session);
                ByteBuffer body = ByteBuffer.allocate(2 * Long.BYTES + texts.remaining());
                next.file.append(
                        BEGIN,
                        body.putLong(before)
                                .putLong(memory.lastSent())
                                .put(texts)
                                .flip());
                home.written(next.file);
            }
        } catch (IOException e) {
            home.failed(e);
        }
    }

    @GuardedBy("lock")
    private void write(byte kind, ByteBuffer body, long last) {
        Segment to = segments.peekLast();
        if (to == null || !home.isKept()) {
            return;
        }
        try {
            to.file.append(kind, body);
            to.last = last;
            home.written(to.file);
            if (to.file.size() >= SEGMENT_BYTES) {
                begin(last);
            }
        } catch (IOException e) {
            home.failed(e);
        }
    }

    @Override
    public void append(Frame frame) {
        lock.lock();
        try {
            memory.append(frame);
            RawJson json = frame.json();
            ByteBuffer body = ByteBuffer.allocate(Long.BYTES + json.length());
            body.putLong(frame.number()).put(json.bytes(), json.from(), json.length());
            write(FRAME, body.flip(), frame.number());
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void sent(long number) {
        lock.lock();
        try {
            long before = memory.lastSent();
            memory.sent(number);
            if (memory.lastSent() != before) {
                ByteBuffer body = ByteBuffer.allocate(Long.BYTES).putLong(memory.lastSent());
                write(SENT, body.flip(), memory.last());
            }
            dropSegments();
        } finally {
            lock.unlock();
        }
    }

    /** Deletes segments of which memory has no frame; never the one that is written to. */
    @GuardedBy("lock")
    private void dropSegments() {
        long dropped = memory.dropped();
        try {
            while (segments.size() > 1 && segments.getFirst().last <= dropped) {
                segments.removeFirst().file.delete();
            }
        } catch (IOException e) {
            home.failed(e);
        }
    }

    @Override
    public void trim() {
        lock.lock();
        try {
            memory.trim();
            dropSegments();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void dropOldest() {
        lock.lock();
        try {
            memory.dropOldest();
            dropSegments();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void restart() {
        lock.lock();
        try {
            memory.restart();
            List<Segment> old = new ArrayList<>(segments);
            segments.clear();
            begin(0);
            for (Segment each : old) {
                each.file.delete();
            }
        } catch (IOException e) {
            home.failed(e);
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Long oldest() {
        return memory.oldest();
    }

    @Override
    public String epoch() {
        return memory.epoch();
    }

    @Override
    public List<Frame> read(long after, long atMost) {
        return memory.read(after, atMost);
    }

    @Override
    public Place find(long number) {
        return memory.find(number);
    }

    @Override
    public long lastSent() {
        return memory.lastSent();
    }

    @Override
    public long last() {
        return memory.last();
    }

    @Override
    public long unsentBytes() {
        return memory.unsentBytes();
    }

    @Override
    public long keptBytes() {
        return memory.keptBytes();
    }
}
