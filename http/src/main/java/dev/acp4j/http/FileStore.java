package dev.acp4j.http;

import dev.acp4j.http.clock.Clock;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The connections of a server in a folder, each in one of its own. What was written is brought to the disk once a
 * second by a thread of this. Thread-safe.
 */
final class FileStore implements AutoCloseable {
    private static final String LOCK = "lock";

    private final Path folder;
    private final FileChannel lock;
    private final Supplier<MemoryLog> logs;
    private final Consumer<String> onProblem;
    private final Clock clock;
    private final AtomicLong last = new AtomicLong();

    /** Held while what is open is gone through. */
    private final ReentrantLock forcing = new ReentrantLock();

    /** Files that are open, or have something that is not on the disk yet. */
    private final Set<RecordFile> open = ConcurrentHashMap.newKeySet();

    private FileStore(Path folder, FileChannel lock, Supplier<MemoryLog> logs, Consumer<String> onProblem, Time time) {
        this.folder = folder;
        this.lock = lock;
        this.logs = logs;
        this.onProblem = onProblem;
        this.clock = Clock.start("acp4j-http-store", time, this::force);
    }

    /**
     * Takes a store.
     *
     * @param logs makes logs in memory
     * @param onProblem told when something cannot be kept, on the thread that finds out
     * @throws IOException when the folder cannot be used, or another server uses it
     */
    static FileStore open(StreamStore store, Supplier<MemoryLog> logs, Consumer<String> onProblem, Time time)
            throws IOException {
        Path folder = store.folder();
        if (!Files.isDirectory(folder)) {
            Path parent = folder.getParent();
            if (parent != null) {
                Files.createDirectories(parent);
            }
            Files.createDirectory(folder, PrivateAttributes.folder(folder));
        }
        Path file = folder.resolve(LOCK);
        if (!Files.exists(file)) {
            Files.createFile(file, PrivateAttributes.file(file));
        }
        FileChannel lock = FileChannel.open(file, StandardOpenOption.WRITE);
        if (tryLock(lock) == null) {
            lock.close();
            throw new IOException("the store " + folder + " is used by another server");
        }
        return new FileStore(folder, lock, logs, onProblem, time);
    }

    private static @Nullable FileLock tryLock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            // By this process.
            return null;
        }
    }

    /**
     * Reads the connections that an earlier process left, in the order in which they began. To be called once, before
     * anything is created. What cannot be read is reported, and left out.
     */
    List<FileConnection> restore() throws IOException {
        List<Long> numbers = new ArrayList<>();
        try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, Files::isDirectory)) {
            for (Path each : all) {
                String name = String.valueOf(each.getFileName());
                if (name.matches("[0-9]{1,18}")) {
                    numbers.add(Long.valueOf(name));
                }
            }
        }
        numbers.sort(Comparator.naturalOrder());
        List<FileConnection> restored = new ArrayList<>();
        for (long number : numbers) {
            last.set(number);
            Path kept = folder.resolve(Long.toString(number));
            try {
                FileConnection connection = FileConnection.restore(this, kept);
                if (connection != null) {
                    restored.add(connection);
                }
            } catch (IOException e) {
                onProblem.accept(kept + " cannot be read: " + e.getMessage());
            }
        }
        return restored;
    }

    /** Begins to keep a connection. */
    FileConnection create(String id, Principal principal) {
        return FileConnection.create(this, folder.resolve(Long.toString(last.incrementAndGet())), id, principal);
    }

    MemoryLog newLog() {
        return logs.get();
    }

    void written(RecordFile file) {
        open.add(file);
    }

    /** Closes the files in a folder, which is about to be deleted. */
    void release(Path of) {
        for (RecordFile file : List.copyOf(open)) {
            if (file.isIn(of)) {
                open.remove(file);
                try {
                    file.delete();
                } catch (IOException e) {
                    onProblem.accept("a file in " + of + " cannot be deleted: " + e.getMessage());
                }
            }
        }
    }

    void problem(String text) {
        onProblem.accept(text);
    }

    private void force() {
        forcing.lock();
        try {
            for (RecordFile file : List.copyOf(open)) {
                // Before, since it may be written to meanwhile.
                open.remove(file);
                if (file.force()) {
                    open.add(file);
                }
            }
        } catch (IOException e) {
            onProblem.accept("what a store keeps cannot be brought to the disk: " + e.getMessage());
        } finally {
            forcing.unlock();
        }
    }

    /** Brings everything to the disk, and gives the folder back. */
    @Override
    public void close() {
        clock.close();
        forcing.lock();
        try {
            while (!open.isEmpty()) {
                force();
            }
        } finally {
            forcing.unlock();
        }
        try {
            lock.close();
        } catch (IOException e) {
            onProblem.accept("the store " + folder + " could not be closed: " + e.getMessage());
        }
    }
}
