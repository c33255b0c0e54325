package dev.acp4j.registry;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A lock between threads and processes, by a file that stays. The system frees it when its process is killed. Locks of
 * different files are taken in this order: that of an agent, then that of a lock file.
 */
final class ProcessLock {
    private static final ConcurrentHashMap<Path, ReentrantLock> IN_PROCESS = new ConcurrentHashMap<>();

    private final ReentrantLock thread;
    private @Nullable FileChannel channel;

    private ProcessLock(ReentrantLock thread) {
        this.thread = thread;
    }

    /** Waits for the lock. */
    static ProcessLock take(Path file) throws IOException, InterruptedException {
        ReentrantLock thread =
                IN_PROCESS.computeIfAbsent(file.toAbsolutePath().normalize(), key -> new ReentrantLock());
        thread.lockInterruptibly();
        ProcessLock taken = new ProcessLock(thread);
        try {
            if (thread.getHoldCount() == 1) {
                FileChannel channel = FileChannel.open(
                        file,
                        java.util.Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE),
                        Folders.ofUser(file, "rw-------"));
                taken.channel = channel;
                FileLock unused = channel.lock();
            }
            return taken;
        } catch (IOException e) {
            taken.close();
            if (Thread.interrupted()) {
                InterruptedException interrupted = new InterruptedException("interrupted while waiting for " + file);
                interrupted.initCause(e);
                throw interrupted;
            }
            throw e;
        }
    }

    void close() throws IOException {
        try {
            if (channel != null) {
                channel.close();
            }
        } finally {
            thread.unlock();
        }
    }
}
