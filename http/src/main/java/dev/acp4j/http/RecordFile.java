package dev.acp4j.http;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A file of records that is only appended to. Each record has its length and a checksum before it, so that one that a
 * killed process has begun is recognized: reading ends there, and it is cut off.
 *
 * <p>The file is open only while it is written to. A thread that is interrupted still writes. The lock guards the file,
 * and is held while it is read or written.
 */
final class RecordFile {
    /** Before each record: how many bytes it has, and their CRC-32C. */
    private static final int HEAD = 8;

    /** What is done with a record. */
    interface Visitor {
        /**
         * Takes the next record.
         *
         * @param body what the record has behind its kind
         */
        void record(byte kind, ByteBuffer body) throws IOException;
    }

    private final Path path;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable RandomAccessFile file;

    /** The size up to the last whole record. */
    @GuardedBy("lock")
    private long size;

    /** Whether something was written that may not be on the disk yet. */
    @GuardedBy("lock")
    private boolean isDirty;

    private RecordFile(Path path) {
        this.path = path;
    }

    /** Returns texts as the body of a record. */
    static ByteBuffer texts(String... texts) {
        byte[][] all = new byte[texts.length][];
        int size = 0;
        for (int i = 0; i < texts.length; i++) {
            all[i] = texts[i].getBytes(StandardCharsets.UTF_8);
            size += Integer.BYTES + all[i].length;
        }
        ByteBuffer body = ByteBuffer.allocate(size);
        for (byte[] text : all) {
            body.putInt(text.length).put(text);
        }
        return body.flip();
    }

    /** Reads the next of such texts. */
    static String text(ByteBuffer body) {
        byte[] bytes = new byte[body.getInt()];
        body.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }

    /** Creates a file without records, which only the user of this process may read. */
    static RecordFile create(Path path) throws IOException {
        Files.createFile(path, PrivateAttributes.file(path));
        return new RecordFile(path);
    }

    /** Reads a file, and cuts off what is behind its last whole record. */
    static RecordFile open(Path path, Visitor visitor) throws IOException {
        RecordFile opened = new RecordFile(path);
        opened.read(visitor);
        return opened;
    }

    private void read(Visitor visitor) throws IOException {
        lock.lock();
        try (RandomAccessFile in = new RandomAccessFile(path.toFile(), "rw")) {
            long end = in.length();
            byte[] record = next(in, end);
            while (record != null) {
                visitor.record(record[0], ByteBuffer.wrap(record, 1, record.length - 1));
                size += HEAD + record.length;
                record = next(in, end);
            }
            in.setLength(size);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the next whole record; null when there is none. */
    private static byte @Nullable [] next(RandomAccessFile in, long end) throws IOException {
        if (end - in.getFilePointer() < HEAD) {
            return null;
        }
        int length = in.readInt();
        int checksum = in.readInt();
        if (length < 1 || length > end - in.getFilePointer()) {
            return null;
        }
        byte[] record = new byte[length];
        try {
            in.readFully(record);
        } catch (EOFException e) {
            return null;
        }
        return checksum(record, 0, length) == checksum ? record : null;
    }

    private static int checksum(byte[] bytes, int from, int length) {
        CRC32C sum = new CRC32C();
        sum.update(bytes, from, length);
        return (int) sum.getValue();
    }

    /** Appends a record: it is with the operating system when this returns, and on the disk after {@link #force}. */
    void append(byte kind, ByteBuffer body) throws IOException {
        int length = 1 + body.remaining();
        ByteBuffer record = ByteBuffer.allocate(HEAD + length);
        record.putInt(length).putInt(0).put(kind).put(body);
        record.putInt(4, checksum(record.array(), HEAD, length));
        lock.lock();
        try {
            RandomAccessFile out = writable();
            out.seek(size);
            out.write(record.array());
            size += record.capacity();
            isDirty = true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private RandomAccessFile writable() throws IOException {
        RandomAccessFile open = file;
        if (open == null) {
            open = new RandomAccessFile(path.toFile(), "rw");
            file = open;
        }
        return open;
    }

    long size() {
        lock.lock();
        try {
            return size;
        } finally {
            lock.unlock();
        }
    }

    /** Drops the records behind a size that the file had. */
    void cut(long to) throws IOException {
        lock.lock();
        try {
            writable().setLength(to);
            size = to;
            isDirty = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Brings what was written to the disk; closes the file when nothing was written since the last call. The disk is
     * waited for without the lock, so that nobody who appends waits for it.
     *
     * @return whether the file is still open
     */
    boolean force() throws IOException {
        RandomAccessFile out;
        lock.lock();
        try {
            out = file;
            if (out == null) {
                return false;
            }
            if (!isDirty) {
                file = null;
                out.close();
                return false;
            }
            isDirty = false;
        } finally {
            lock.unlock();
        }
        try {
            out.getFD().sync();
            return true;
        } catch (IOException e) {
            if (isDeleted()) {
                return false;
            }
            throw e;
        }
    }

    private boolean isDeleted() {
        lock.lock();
        try {
            return file == null;
        } finally {
            lock.unlock();
        }
    }

    boolean isIn(Path folder) {
        return path.startsWith(folder);
    }

    void delete() throws IOException {
        lock.lock();
        try {
            RandomAccessFile open = file;
            file = null;
            if (open != null) {
                open.close();
            }
            Files.deleteIfExists(path);
        } finally {
            lock.unlock();
        }
    }
}
