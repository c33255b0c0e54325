package dev.acp4j.sessions;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
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
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A file of JSON values, one on each line: only ever appended, and readable by the user alone. A line that a killed
 * process has begun, or that did not fit on the disk, is removed before the next one is appended.
 *
 * <p>The file is created by the first {@link #append}, and locked as long as it is open, so that one process writes to
 * it. A thread that is interrupted still reads and writes, and stays interrupted. All methods may be called from any
 * thread. The lock guards the file, and is held while it is read or written.
 */
public final class JsonLines implements AutoCloseable {
    private static final Set<OpenOption> APPEND = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);
    private static final Set<OpenOption> CREATE =
            Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, StandardOpenOption.CREATE_NEW);

    private final Path path;
    private final ReentrantLock lock = new ReentrantLock();

    /** Null before the first line, and when nothing can be written any more. */
    @GuardedBy("lock")
    private @Nullable FileChannel channel;

    /** The size up to the last complete line. */
    @GuardedBy("lock")
    private long size;

    @GuardedBy("lock")
    private boolean isClosed;

    /** The file is open in another process, or elsewhere in this one. */
    public static final class InUseException extends IOException {
        private static final long serialVersionUID = 1L;

        InUseException(Path path) {
            super(path + " is open in another process");
        }
    }

    private JsonLines(Path path) {
        this.path = path;
    }

    /** Returns a file that does not exist before the first line. */
    public static JsonLines create(Path path) {
        return new JsonLines(path);
    }

    /**
     * Opens a file that exists.
     *
     * @return the file; empty if there is none
     * @throws InUseException if it is open elsewhere
     * @throws IOException if it cannot be read
     */
    public static Optional<JsonLines> open(Path path) throws IOException {
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    return Optional.ofNullable(openOnce(path));
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

    private static @Nullable JsonLines openOnce(Path path) throws IOException {
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
            JsonLines file = new JsonLines(path);
            file.take(channel);
            isOpened = true;
            return file;
        } finally {
            if (!isOpened) {
                channel.close();
            }
        }
    }

    /**
     * Reads lines from the beginning of a file that this process does not have open.
     *
     * @param most how many bytes are read, and the rest of a line
     * @param to takes a line without its end, and says whether it wants the next one
     * @throws IOException if it cannot be read
     */
    public static void head(Path path, long most, Predicate<byte[]> to) throws IOException {
        try (InputStream in = new BufferedInputStream(Files.newInputStream(path))) {
            Lines lines = new Lines(in);
            byte[] line;
            while (lines.end < most && (line = lines.next()) != null && to.test(line)) {}
        }
    }

    /** Returns where the file is. */
    public Path path() {
        return path;
    }

    /** Returns whether the file exists and can be appended to: from the first line on, until it is closed. */
    public boolean isOpen() {
        lock.lock();
        try {
            return channel != null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Appends values, a line each: all of them, or none. Does nothing after {@link #close}.
     *
     * @throws InUseException if the file does not exist for this one, and another process has it open
     * @throws IOException if they cannot be written, for example because the disk is full; a later append may succeed
     */
    public void append(List<RawJson> values) throws IOException {
        boolean interrupted = Thread.interrupted();
        lock.lock();
        try {
            while (!isClosed) {
                try {
                    appendOnce(values);
                    return;
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

    @GuardedBy("lock")
    private void appendOnce(List<RawJson> values) throws IOException {
        FileChannel open = channel == null ? create() : channel;
        ByteArrayOutputStream lines = new ByteArrayOutputStream();
        for (RawJson value : values) {
            RawJson line = value.compact();
            lines.write(line.bytes(), line.from(), line.length());
            lines.write('\n');
        }
        ByteBuffer left = ByteBuffer.wrap(lines.toByteArray());
        try {
            long at = size;
            while (left.hasRemaining()) {
                at += open.write(left, at);
            }
            size = at;
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
        Path folder = path.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            Files.createDirectories(folder, access(folder, "rwx------"));
        }
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

    /** Opens the file again: an interrupt has closed it. */
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

    /**
     * Reads what was appended by now, from the first line on. What is appended meanwhile does not wait, and is not
     * read.
     *
     * @param to takes a line without its end, and says whether it wants the next one
     * @throws IOException if the file cannot be read
     */
    public void read(Predicate<byte[]> to) throws IOException {
        long end;
        lock.lock();
        try {
            end = size;
        } finally {
            lock.unlock();
        }
        Lines lines = new Lines(new BufferedInputStream(new Written(end)));
        byte[] line;
        while ((line = lines.next()) != null && to.test(line)) {}
    }

    /** Ends the use of the file; what is appended later is discarded. */
    @Override
    public void close() {
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
    public void delete() throws IOException {
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

    /** Takes the file over, without a line that was begun only. */
    private void take(FileChannel opened) throws IOException {
        // Not closed: that would close and unlock the file.
        Lines lines = new Lines(new BufferedInputStream(Channels.newInputStream(opened)));
        while (lines.next() != null) {}
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

    /** Reads a part. The thread of a request that was cancelled is interrupted, which closes a channel that it uses. */
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
