package dev.acp4j.process;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process trees that are alive when the JVM exits; one hook serves all of them.
 *
 * <p>Starting a process holds the read lock of {@code STARTING}, and the hook takes the write lock first. So a process
 * is either in the set when the hook runs, or its start is rejected. {@code REGISTERING} guards the hook itself and is
 * taken inside {@code STARTING}.
 */
final class ExitHook {
    private static final Duration MERCY = Duration.ofSeconds(1);
    private static final int TRIES = 20;

    private static final ReentrantReadWriteLock STARTING = new ReentrantReadWriteLock();
    private static final ReentrantLock REGISTERING = new ReentrantLock();
    private static final Set<ProcessTree> LIVING = ConcurrentHashMap.newKeySet();

    @GuardedBy("REGISTERING")
    private static @Nullable Thread hook;

    private static volatile boolean exiting;

    private ExitHook() {}

    /** Starts a tree. */
    interface Start {
        ProcessTree start() throws IOException;
    }

    static ProcessTree start(Start start) throws IOException {
        STARTING.readLock().lock();
        try {
            if (exiting) {
                throw new IllegalStateException("no process can be started while the JVM is exiting");
            }
            register();
            ProcessTree tree = start.start();
            LIVING.add(tree);
            return tree;
        } finally {
            STARTING.readLock().unlock();
        }
    }

    private static void register() {
        REGISTERING.lock();
        try {
            if (hook == null) {
                Thread thread = new Thread(ExitHook::run, "acp4j-exit");
                // Throws IllegalStateException when the JVM is exiting.
                Runtime.getRuntime().addShutdownHook(thread);
                hook = thread;
            }
        } finally {
            REGISTERING.unlock();
        }
    }

    static void remove(ProcessTree tree) {
        LIVING.remove(tree);
    }

    private static void run() {
        exiting = true;
        awaitStarts();
        boolean ended = false;
        for (int i = 0; i < TRIES && !ended; i++) {
            ended = endAll();
        }
        if (ended) {
            Watchdog.dismiss();
        }
    }

    /** Returns false if the JVM is out of memory: code that fills it ends as well, so a retry may succeed. */
    private static boolean endAll() {
        try {
            ProcessTree.endAll(new ArrayList<>(LIVING), Duration.ZERO, MERCY);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /**
     * Waits for starts in progress for a limited time: a program on a file system that hangs must not block the exit.
     */
    private static void awaitStarts() {
        try {
            if (STARTING.writeLock().tryLock(MERCY.toMillis(), TimeUnit.MILLISECONDS)) {
                STARTING.writeLock().unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
