package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionUpdate;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The file of one conversation: records as lines of JSON, only ever appended, readable by the user alone. A line that a
 * killed process has begun, or that did not fit on the disk, is removed before the next one is appended.
 *
 * <p>The file is locked as long as it is open, and created by the first turn. The lock of this object guards the file,
 * and is held while a record is written.
 */
final class SessionFile implements Journal {
    /** How much of a file is read for the list of sessions: the title is among the first records. */
    private static final int HEAD_BYTES = 64 * 1024;

    private static final Set<OpenOption> APPEND = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> CREATE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final Path path;
    private final ReentrantLock lock = new ReentrantLock();

    /** What precedes the first turn; it is written with that. */
    @GuardedBy("lock")
    private final List<SessionRecord> waiting = new ArrayList<>();

    /** Null before the first turn, and when nothing can be written any more. */
    @GuardedBy("lock")
    private @Nullable FileChannel channel;

    /** The size up to the last complete line. */
    @GuardedBy("lock")
    private long size;

    @GuardedBy("lock")
    private boolean isClosed;

    /** Whether a record of this turn was lost: then the rest of the turn is not written either. */
    @GuardedBy("lock")
    private boolean hasFailed;

    /** The last problem that was reported; it is not repeated in each turn. */
    @GuardedBy("lock")
    private @Nullable String reported;

    @GuardedBy("lock")
    private @Nullable String problem;

    /** Another process has the conversation open. */
    static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        InUseException(Path path) {
            super(path + " is open in another process");
        }
    }

    /**
     * A conversation that was read.
     *
     * @param file its file, locked
     * @param first its first readable record; {@link #read} gives all
     */
    record Opened(SessionFile file, SessionRecord first) {}

    private SessionFile(Path path) {
        this.path = path;
    }

    /** Returns the file for a new conversation; it does not exist before the first turn. */
    static SessionFile create(Path path, SessionRecord begun) {
        SessionFile file = new SessionFile(path);
        file.add(begun);
        return file;
    }

    /**
     * Opens the file of an earlier conversation. Returns null if there is none.
     *
     * @throws InUseException if another process has it open
     */
    static @Nullable Opened open(Path path) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return openOnce(path);
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private static @Nullable Opened openOnce(Path path) throws IOException {
        FileChannel channel;
        try {
            channel = FileChannel.open(path, APPEND);
        } catch (NoSuchFileException e) {
            return null;
        }
        boolean isOpened = false;
        try {
            lock(channel, path);
            if (!Files.exists(path)) {
                // Deleted before it was locked.
                return null;
            }
            SessionFile file = new SessionFile(path);
            SessionRecord first = file.take(channel);
            isOpened = first != null;
            return first == null ? null : new Opened(file, first);
        } finally {
            if (!isOpened) {
                channel.close();
            }
        }
    }

    /** Returns the first records, up to the title, of a conversation that this process does not have open. */
    static List<SessionRecord> head(Path path) throws IOException {
        List<SessionRecord> records = new ArrayList<>();
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
            Lines lines = new Lines(in);
            byte[] line;
            while (lines.end < HEAD_BYTES && (line = lines.next()) != null) {
                SessionRecord record = SessionRecord.read(line);
                if (record != null) {
                    records.add(record);
                }
                if (record instanceof SessionRecord.Titled) {
                    break;
                }
            }
        }
        return records;
    }

    @Override
    public void add(SessionRecord record) {
        lock.lock();
        try {
            if (isClosed) {
                return;
            }
            boolean isTurn = record instanceof SessionRecord.TurnBegun;
            if (channel == null && record instanceof SessionRecord.Update) {
                // Of a turn that could not be saved from its beginning.
                return;
            }
            if (channel == null && !isTurn) {
                await(record);
                return;
            }
            if (isTurn) {
                hasFailed = false;
            }
            if (!hasFailed) {
                write(record);
            }
        } catch (IOException e) {
            hasFailed = true;
            String why = e instanceof InUseException || e.getMessage() == null ? e.toString() : e.getMessage();
            if (!why.equals(reported)) {
                problem = "This conversation could not be saved in " + path + ": " + why;
                reported = why;
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable String takeProblem() {
        lock.lock();
        try {
            String taken = problem;
            problem = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean replay(Consumer<SessionUpdate> to) {
        long end;
        lock.lock();
        try {
            if (channel == null) {
                return false;
            }
            end = size;
        } finally {
            lock.unlock();
        }
        try {
            int unused = read(end, record -> {
                if (record instanceof SessionRecord.Update update) {
                    to.accept(update.update());
                }
            });
            return true;
        } catch (IOException e) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR, "this conversation cannot be read from " + path + ": " + e.getMessage());
        }
    }

    /** Reads all records, one after the other; those that cannot be read become a {@link #takeProblem problem}. */
    void read(Consumer<SessionRecord> to) throws IOException {
        long end;
        lock.lock();
        try {
            end = size;
        } finally {
            lock.unlock();
        }
        int unread = read(end, to);
        if (unread > 0) {
            lock.lock();
            try {
                problem = unread + (unread == 1 ? " record" : " records") + " of this conversation in " + path
                        + " could not be read";
            } finally {
                lock.unlock();
            }
        }
    }

    /** Returns how many records could not be read. */
    private int read(long end, Consumer<SessionRecord> to) throws IOException {
        Lines lines = new Lines(new BufferedInputStream(new Written(end)));
        int unread = 0;
        byte[] line;
        while ((line = lines.next()) != null) {
            SessionRecord record = SessionRecord.read(line);
            if (record == null) {
                unread++;
            } else {
                to.accept(record);
            }
        }
        return unread;
    }

    /** What was written up to a position, read through the channel: another one would unlock the file when closed. */
    private final class Written extends InputStream {
        private final long end;
        private long at;

        Written(long end) {
            this.end = end;
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] to, int from, int length) throws IOException {
            int most = (int) Math.min(length, end - at);
            int read = most == 0 ? -1 : readAt(ByteBuffer.wrap(to, from, most), at);
            at += Math.max(0, read);
            return read;
        }
    }

    /** Reads a part. The thread of a request that was cancelled is interrupted; see {@link #write}. */
    private int readAt(ByteBuffer to, long at) throws IOException {
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            while (true) {
                try {
                    return channel == null ? -1 : channel.read(to, at);
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                    reopen();
                }
            }
        } finally {
            lock.unlock();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Ends the use of the file; later records are discarded. */
    void close() {
        lock.lock();
        try {
            isClosed = true;
            if (channel != null) {
                channel.close();
                channel = null;
            }
        } catch (IOException e) {
            // Everything was written before.
        } finally {
            lock.unlock();
        }
    }

    /** Deletes the file and closes it. */
    void delete() throws IOException {
        lock.lock();
        try {
            if (channel != null) {
                Files.deleteIfExists(path);
            }
        } finally {
            lock.unlock();
            close();
        }
    }

    /** Keeps a record for the first turn, in place of an earlier one of its kind. A lambda would delay opening. */
    @GuardedBy("lock")
    private void await(SessionRecord record) {
        for (int i = 0; i < waiting.size(); i++) {
            if (waiting.get(i).getClass() == record.getClass()) {
                waiting.set(i, record);
                return;
            }
        }
        waiting.add(record);
    }

    /** Writes a record. The thread of a cancelled turn is interrupted, which closes a channel that it uses. */
    @GuardedBy("lock")
    private void write(SessionRecord record) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    writeOnce(record);
                    return;
                } catch (ClosedByInterruptException e) {
                    interrupted = Thread.interrupted();
                    reopen();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @GuardedBy("lock")
    private void reopen() throws IOException {
        if (channel == null) {
            // It was being created.
            Files.deleteIfExists(path);
            return;
        }
        channel = null;
        FileChannel opened = FileChannel.open(path, APPEND);
        lock(opened, path);
        opened.truncate(size);
        channel = opened;
    }

    @GuardedBy("lock")
    private void writeOnce(SessionRecord record) throws IOException {
        FileChannel open = channel == null ? create() : channel;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (SessionRecord earlier : waiting) {
            line(earlier, lines);
        }
        line(record, lines);
        ByteBuffer left = ByteBuffer.wrap(lines.toByteArray());
        try {
            long at = size;
            while (left.hasRemaining()) {
                at += open.write(left, at);
            }
            size = at;
            waiting.clear();
            reported = null;
        } catch (ClosedByInterruptException e) {
            throw e;
        } catch (IOException e) {
            try {
                open.truncate(size);
            } catch (IOException again) {
                e.addSuppressed(again);
            }
            throw e;
        }
    }

    @GuardedBy("lock")
    private FileChannel create() throws IOException {
        createFolder(path.getParent());
        FileChannel created = FileChannel.open(path, CREATE, access(path, "rw-------"));
        try {
            lock(created, path);
        } catch (IOException | RuntimeException e) {
            created.close();
            throw e;
        }
        channel = created;
        return created;
    }

    private static void createFolder(@Nullable Path folder) throws IOException {
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder, access(folder, "rwx------"));
        }
    }

    private static FileAttribute<?>[] access(Path path, String permissions) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions))
                }
                : new FileAttribute<?>[0];
    }

    private static void lock(FileChannel channel, Path path) throws IOException {
        try {
            if (channel.tryLock() == null) {
                throw new InUseException(path);
            }
        } catch (OverlappingFileLockException e) {
            throw new InUseException(path);
        }
    }

    private static void line(SessionRecord record, ByteArrayOutputStream out) {
        RawJson json = record.toJson();
        out.write(json.bytes(), json.from(), json.length());
        out.write('\n');
    }

    /** Reads the records and takes the file over, without a line that was begun only. */
    private @Nullable SessionRecord take(FileChannel opened) throws IOException {
        SessionRecord first = null;
        // Not closed: that would close and unlock the file.
        Lines lines = new Lines(new BufferedInputStream(Channels.newInputStream(opened)));
        byte[] line;
        while ((line = lines.next()) != null) {
            if (first == null) {
                first = SessionRecord.read(line);
            }
        }
        lock.lock();
        try {
            channel = opened;
            size = lines.end;
            if (opened.size() > size) {
                opened.truncate(size);
            }
        } finally {
            lock.unlock();
        }
        return first;
    }

    /** Splits a stream into complete lines. */
    private static final class Lines {
        private final InputStream in;
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();

        /** Where the last complete line ended. */
        long end;

        Lines(InputStream in) {
            this.in = in;
        }

        /** Returns the next line without its end; null if there is no further complete line. */
        byte @Nullable [] next() throws IOException {
            line.reset();
            int c;
            while ((c = in.read()) >= 0) {
                if (c == '\n') {
                    end += line.size() + 1;
                    return line.toByteArray();
                }
                line.write(c);
            }
            return null;
        }
    }
}
