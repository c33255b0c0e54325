package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The threads that run the handlers of one connection. They are platform threads: a handler that computes, or waits for
 * a file that does not answer, then stops no other handler, whereas a few virtual threads would occupy every carrier of
 * the JVM. A task is taken by the thread that became idle last, or by a new one; it never queues behind a handler.
 *
 * <p>The first {@link #AT_ONCE} threads start as they are needed. A burst of short tasks needs no more, so beyond them
 * one more starts each time that a task has waited for {@link #PATIENCE_NANOS}. Idle threads end after
 * {@link #IDLE_NANOS}, and with the connection.
 *
 * <p>The lock guards everything. It is never held while a task runs or a thread starts.
 */
final class Workers {
    private static final int AT_ONCE = 64;
    private static final long PATIENCE_NANOS = 2_000_000;
    private static final long IDLE_NANOS = 5_000_000_000L;

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();

    /** The thread that became idle last comes first: it may not have fallen asleep yet. */
    @GuardedBy("lock")
    private final ArrayDeque<Worker> idle = new ArrayDeque<>();

    @GuardedBy("lock")
    private int threads;

    /** Whether the newest thread lets the others go first for a while. */
    @GuardedBy("lock")
    private boolean growing;

    @GuardedBy("lock")
    private boolean closed;

    /**
     * Runs a task.
     *
     * @param name the beginning of the name of a thread that is started for it
     * @throws OutOfMemoryError when no thread can be started and none is there that could take the task
     */
    void run(String name, Runnable task) {
        Worker started;
        lock.lock();
        try {
            Worker worker = idle.poll();
            if (worker != null) {
                worker.task = task;
                worker.woken.signal();
                return;
            }
            if (threads < AT_ONCE) {
                threads++;
                started = new Worker(name, task);
            } else {
                waiting.add(task);
                started = grow(name);
            }
        } finally {
            lock.unlock();
        }
        begin(started);
    }

    /** Returns a thread to be started when tasks wait and no other is on its way. */
    @GuardedBy("lock")
    private @Nullable Worker grow(String name) {
        if (growing || waiting.isEmpty()) {
            return null;
        }
        growing = true;
        threads++;
        return new Worker(name, null);
    }

    /** Starts a thread, if given. One that cannot be started leaves its task to the others, if there are any. */
    private void begin(@Nullable Worker worker) {
        try {
            if (worker != null) {
                worker.start();
            }
        } catch (OutOfMemoryError e) {
            lock.lock();
            try {
                threads--;
                if (threads == 0) {
                    throw e;
                }
                if (worker.task == null) {
                    growing = false;
                } else {
                    waiting.add(worker.task);
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Ends the idle threads now, and each of the others when it is done. Tasks are still taken. */
    void close() {
        lock.lock();
        try {
            closed = true;
            for (Worker worker : idle) {
                worker.woken.signal();
            }
        } finally {
            lock.unlock();
        }
    }

    private final class Worker extends Thread {
        private final String prefix;
        private final Condition woken = lock.newCondition();

        /** What runs next. Guarded by the lock once the thread has started. */
        private @Nullable Runnable task;

        Worker(String prefix, @Nullable Runnable task) {
            // Inherits nothing: the starting thread may work for another handler.
            super(null, null, prefix.concat("-worker"), 0, false);
            this.prefix = prefix;
            this.task = task;
            setDaemon(true);
        }

        @Override
        public void run() {
            String name = getName();
            Runnable next = task == null ? lastOfAll() : task;
            while (next != null) {
                try {
                    next.run();
                } catch (Throwable e) {
                    getUncaughtExceptionHandler().uncaughtException(this, e);
                }
                Work.forget();
                if (!getName().equals(name)) {
                    setName(name);
                }
                next = next();
            }
        }

        /** Lets the others go first, then takes what is still left. */
        private @Nullable Runnable lastOfAll() {
            lock.lock();
            try {
                long left = PATIENCE_NANOS;
                while (left > 0 && !closed) {
                    left = await(left);
                }
                growing = false;
            } finally {
                lock.unlock();
            }
            return next();
        }

        /** Waits for the next task; null when the thread is to end. */
        private @Nullable Runnable next() {
            Runnable next;
            Worker further;
            lock.lock();
            try {
                task = waiting.poll();
                further = grow(prefix);
                if (task == null) {
                    awaitTask();
                }
                next = task;
                if (next == null) {
                    threads--;
                }
            } finally {
                lock.unlock();
            }
            begin(further);
            // What interrupted the last task must not disturb the next.
            boolean unused = interrupted();
            return next;
        }

        @GuardedBy("lock")
        private void awaitTask() {
            idle.push(this);
            long left = IDLE_NANOS;
            while (task == null && !closed && left > 0) {
                left = await(left);
            }
            idle.remove(this);
        }

        @GuardedBy("lock")
        @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
        private long await(long nanos) {
            try {
                return woken.awaitNanos(nanos);
            } catch (InterruptedException e) {
                return nanos;
            }
        }
    }
}
