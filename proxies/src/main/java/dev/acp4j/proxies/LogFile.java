package dev.acp4j.proxies;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
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
    private FileChannel out;

    /** What tells the file that is open from others; null where the system does not say. */
    private @Nullable Object key;

    /**
     * Opens a file.
     *
     * @param maxBytes the size from which on it is renamed
     */
    LogFile(Path file, long maxBytes) throws IOException {
        this.file = file;
        this.maxBytes = maxBytes;
        this.out = open();
        this.key = key();
        this.writers = WRITERS.computeIfAbsent(file.toRealPath(), path -> new ReentrantLock());
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
        FileLock alone = out.lock();
        try {
            if (!Files.exists(file) || (key != null && !key.equals(key()))) {
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
        FileChannel next = open();
        out.close();
        out = next;
        key = key();
    }

    private @Nullable Object key() throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class).fileKey();
    }

    private FileChannel open() throws IOException {
        boolean isPosix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = isPosix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        FileChannel opened =
                FileChannel.open(file, Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE), attributes);
        if (isPosix && Files.isRegularFile(file)) {
            // One that was there may be readable by others; a device must stay as it is.
            Files.setPosixFilePermissions(file, OWNER_ONLY);
        }
        return opened;
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
