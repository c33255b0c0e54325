package dev.acp4j.proxies;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A file of lines that only the user can read, to which several programs may append at once: a line is written under a
 * lock on the file, and so is a full file renamed. For one thread.
 */
final class LogFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");

    /** For the writers of this program, for which a lock on the file is none; by the file's path. */
    private static final Map<Path, ReentrantLock> WRITERS = new ConcurrentHashMap<>();

    private final Path file;
    private final long maxBytes;
    private final ReentrantLock writers;
    private Opened opened;

    /**
     * The file that is open.
     *
     * @param key what tells it from others; null where the system does not say
     */
    private record Opened(FileChannel out, @Nullable Object key) {}

    /**
     * Opens a file.
     *
     * @param maxBytes the size from which on it is renamed
     */
    LogFile(Path file, long maxBytes) throws IOException {
        this.file = file;
        this.maxBytes = maxBytes;
        this.opened = open();
        this.writers = WRITERS.computeIfAbsent(realPath(file), path -> new ReentrantLock());
    }

    private static Path realPath(Path file) throws IOException {
        try {
            return file.toRealPath();
        } catch (NoSuchFileException e) {
            // Renamed just now, so it was no link.
            Path whole = file.toAbsolutePath();
            Path above = whole.getParent();
            return above == null ? whole : above.toRealPath().resolve(above.relativize(whole));
        }
    }

    /** Appends a line; if that fails, nothing of it stays. */
    void append(byte[] line) throws IOException {
        writers.lock();
        try {
            while (!appended(line)) {
                // Another one has renamed the file: into the new one.
                reopen();
            }
        } finally {
            writers.unlock();
        }
    }

    /** Appends a line unless the file that is open is not the one of that name any more. */
    private boolean appended(byte[] line) throws IOException {
        FileChannel out = opened.out;
        FileLock alone = out.lock();
        try {
            if (!Files.exists(file) || !Objects.equals(opened.key, key())) {
                return false;
            }
            if (out.size() >= maxBytes) {
                Files.move(file, file.resolveSibling(file.getFileName() + ".1"), StandardCopyOption.REPLACE_EXISTING);
                return false;
            }
            long end = out.size();
            try {
                ByteBuffer bytes = ByteBuffer.wrap(line);
                while (bytes.hasRemaining()) {
                    out.write(bytes, end + bytes.position());
                }
            } catch (IOException e) {
                out.truncate(end);
                throw e;
            }
            return true;
        } finally {
            alone.release();
        }
    }

    private void reopen() throws IOException {
        Opened next = open();
        opened.out.close();
        opened = next;
    }

    /**
     * Opens the file of that name. Another program may rename it at any moment: only if the name has meant the same
     * file before and after, it is known which one is open.
     */
    private Opened open() throws IOException {
        Object before = key();
        while (true) {
            FileChannel out = channel();
            Object after = key();
            if (Objects.equals(before, after)) {
                return new Opened(out, after);
            }
            out.close();
            before = after;
        }
    }

    /** Returns what tells the file of that name from others, and from none; null where the system does not say. */
    private @Nullable Object key() throws IOException {
        try {
            return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
        } catch (NoSuchFileException e) {
            return new Object();
        }
    }

    private FileChannel channel() throws IOException {
        boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = isPosix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        FileChannel channel =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), attributes);
        if (isPosix && Files.isRegularFile(file)) {
            // One that was there may be readable by others; a device must stay as it is.
            try {
                Files.setPosixFilePermissions(file, OWNER_ONLY);
            } catch (NoSuchFileException e) {
                // Renamed just now, so that another one is opened instead.
            }
        }
        return channel;
    }

    @Override
    public void close() throws IOException {
        opened.out.close();
    }
}
