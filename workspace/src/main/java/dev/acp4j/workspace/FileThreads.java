package dev.acp4j.workspace;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A bounded number of platform threads for file operations.
 *
 * <p>A system call on a file may hang and cannot be interrupted: on an unresponsive network file system, or on a pipe
 * that replaced a file. On a virtual thread it would pin a carrier. So the caller waits interruptibly with a timeout,
 * and then abandons the operation. An abandoned operation is interrupted, which stops it at the next read or write.
 * While it hangs, it counts against the bound.
 */
final class FileThreads {
    private static final int USUAL_BOUND = 8;
    private static final Duration USUAL_PATIENCE = Duration.ofMinutes(1);

    /** An operation that does not hang stops within this time once it is interrupted, so that its outcome is known. */
    private static final Duration TIME_TO_STOP = Duration.ofMillis(200);

    private static final String NOT_IN_TIME = ": the file system does not respond in time";

    private final int bound;
    private final Duration patience;
    private final Semaphore free;
    private final Set<Job<?>> abandoned = ConcurrentHashMap.newKeySet();

    FileThreads() {
        this(USUAL_BOUND, USUAL_PATIENCE);
    }

    /**
     * @param bound the maximum number of threads
     * @param patience the timeout of a caller for a thread, and then for the operation
     */
    FileThreads(int bound, Duration patience) {
        this.bound = bound;
        this.patience = patience;
        this.free = new Semaphore(bound);
    }

    /** A file operation. */
    interface Work<T> {
        T run() throws InterruptedException;
    }

    /**
     * Runs an operation on a thread of its own and returns its outcome.
     *
     * @param failed the beginning of the message of a failure
     * @throws WorkspaceException.Failed if the operation takes too long, or too many earlier ones hang
     * @throws InterruptedException if interrupted; the operation may continue for a moment
     */
    <T> T run(String failed, Work<T> work) throws InterruptedException {
        if (abandoned.size() >= bound) {
            throw new WorkspaceException.Failed(
                    failed + ": the file system does not respond, and " + bound + " earlier requests are still blocked",
                    null);
        }
        if (!free.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new WorkspaceException.Failed(failed + NOT_IN_TIME, null);
        }
        Job<T> job = new Job<>(work);
        Thread thread = start(job);
        try {
            return outcome(job, patience);
        } catch (InterruptedException e) {
            abandon(job, thread);
            throw e;
        } catch (TimeoutException e) {
            abandon(job, thread);
            throw new WorkspaceException.Failed(failed + NOT_IN_TIME, e);
        }
    }

    private Thread start(Job<?> job) {
        boolean started = false;
        try {
            Thread thread = Thread.ofPlatform()
                    .daemon()
                    .inheritInheritableThreadLocals(false)
                    .name("acp4j-files")
                    .start(job);
            started = true;
            return thread;
        } finally {
            if (!started) {
                free.release();
            }
        }
    }

    private static <T> T outcome(Job<T> job, Duration time) throws InterruptedException, TimeoutException {
        try {
            return job.get(time.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException failure -> throw failure;
                case Error failure -> throw failure;
                case InterruptedException interrupted -> throw interrupted;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }

    private void abandon(Job<?> job, Thread thread) {
        thread.interrupt();
        try {
            job.get(TIME_TO_STOP.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            // The operation has stopped.
        } catch (TimeoutException e) {
            job.abandon();
        } catch (InterruptedException e) {
            job.abandon();
            Thread.currentThread().interrupt();
        }
    }

    private final class Job<T> extends FutureTask<T> {
        Job(Work<T> work) {
            super(work::run);
        }

        @Override
        public void run() {
            try {
                super.run();
            } finally {
                abandoned.remove(this);
                free.release();
            }
        }

        void abandon() {
            abandoned.add(this);
            if (isDone()) {
                // It ended in between, possibly before it was added.
                abandoned.remove(this);
            }
        }
    }
}
