package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What a connection takes from the machine that it runs on: time, threads and locks. A test that gives its own as the
 * connection's {@link Time} decides at every lock who runs next.
 */
class Machine implements Time {
    /**
     * The threads of connections that hold no carrier. A server has thousands of these, of which few do something: a
     * thread of each would wait for seconds after its one request.
     */
    private static final Workers SHARED = new Workers(new Machine(Time.SYSTEM), 0);

    private final Time time;
    private final Workers workers;

    /** Whether handlers run on virtual threads, and not on those of {@link #workers}. */
    private boolean hasVirtualHandlers;

    Machine(Time time) {
        this.time = time;
        this.workers = new Workers(this, 1);
    }

    private Machine(Workers shared) {
        this.time = Time.SYSTEM;
        this.workers = shared;
        shared.use();
    }

    /**
     * @param isShared whether the threads that run handlers are those of other connections, too
     * @param isVirtual whether handlers run on virtual threads
     */
    static Machine of(Time time, boolean isShared, boolean isVirtual) {
        if (time instanceof Machine machine) {
            return machine;
        }
        Machine machine = isShared && time.equals(Time.SYSTEM) ? new Machine(SHARED) : new Machine(time);
        machine.hasVirtualHandlers = isVirtual;
        return machine;
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
        time.await(lock, condition, nanos);
    }

    /** Whether time passes by itself. */
    boolean timePasses() {
        return time.equals(Time.SYSTEM);
    }

    ReentrantLock newLock() {
        return new ReentrantLock();
    }

    /** Returns a lock, before each release of which something is done with it held. */
    ReentrantLock newLock(Runnable beforeUnlock) {
        return new ReentrantLock() {
            private static final long serialVersionUID = 1L;

            @Override
            public void unlock() {
                beforeUnlock.run();
                super.unlock();
            }
        };
    }

    /** Starts a thread that nothing else uses. */
    void startThread(String name, Runnable body) {
        // Not with Thread.ofPlatform(), whose classes take a millisecond of the time to the first answer.
        // It inherits nothing: the starting thread may work for a handler.
        Thread thread = new Thread(null, body, name, 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    /** Starts a virtual thread: for what waits most of the time, in a way that occupies no thread of the system. */
    void startVirtualThread(String name, Runnable body) {
        Thread unused = Thread.ofVirtual()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .start(body);
    }

    /** Runs what may call handlers, on a thread that it may keep as long as it likes; see {@link Workers}. */
    void runHandlers(String name, Runnable task) {
        if (hasVirtualHandlers) {
            startVirtualThread(name.concat("-worker"), task);
        } else {
            workers.run(name, task);
        }
    }

    /** The connection has ended: threads that no other connection uses end when they have nothing to do. */
    void close() {
        workers.close();
    }

    /**
     * The threads that run the handlers of one connection or of several. They are platform threads: a handler that
     * computes, or waits for a file that does not answer, then stops no other handler, whereas a few virtual threads
     * would occupy every carrier of the JVM. A task is taken by the thread that became idle last, or by a new one.
     *
     * <p>The first {@link #AT_ONCE} threads start as they are needed. A burst of short tasks needs no more, so beyond
     * them one more starts each time that a task has waited for {@link #PATIENCE_NANOS}. Idle threads end after
     * {@link #IDLE_NANOS}, and with the last connection.
     *
     * <p>The lock guards everything. It is never held while a task runs or a thread starts.
     */
    static final class Workers {
        private static final int AT_ONCE = 64;
        private static final long PATIENCE_NANOS = 2_000_000;
        private static final long IDLE_NANOS = 5_000_000_000L;

        private final Machine machine;
        private final ReentrantLock lock;

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

        /** How many connections use them. */
        @GuardedBy("lock")
        private int users;

        Workers(Machine machine, int users) {
            this.machine = machine;
            this.lock = machine.newLock();
            this.users = users;
        }

        /** One more connection uses them. */
        void use() {
            lock.lock();
            try {
                users++;
            } finally {
                lock.unlock();
            }
        }

        /**
         * Runs a task.
         *
         * @param name the beginning of the name of a thread that is started for it
         * @throws OutOfMemoryError when a thread is needed and cannot be started; the task does not run
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
                    started = new Worker(name, task);
                    threads++;
                } else {
                    waiting.add(task);
                    started = grow(name);
                }
            } finally {
                lock.unlock();
            }
            if (started != null && !begin(started)) {
                lock.lock();
                try {
                    if (started.task != null || waiting.remove(task)) {
                        throw new OutOfMemoryError("no thread can be started");
                    }
                } finally {
                    lock.unlock();
                }
            }
        }

        /** Returns a thread to be started when tasks wait and no other is on its way. */
        @GuardedBy("lock")
        private @Nullable Worker grow(String name) {
            if (growing || waiting.isEmpty()) {
                return null;
            }
            Worker worker = new Worker(name, null);
            growing = true;
            threads++;
            return worker;
        }

        /** Starts a thread. Returns false when there is no memory for it, or the system allows no more threads. */
        private boolean begin(Worker worker) {
            try {
                machine.startThread(worker.name.concat("-worker"), worker);
                return true;
            } catch (OutOfMemoryError e) {
                lock.lock();
                try {
                    threads--;
                    growing = growing && worker.task != null;
                    return false;
                } finally {
                    lock.unlock();
                }
            }
        }

        /** When nobody else uses them, ends the idle threads now, and the others when done. Tasks are still taken. */
        void close() {
            lock.lock();
            try {
                if (--users <= 0) {
                    idle.forEach(worker -> worker.woken.signal());
                }
            } finally {
                lock.unlock();
            }
        }

        private final class Worker implements Runnable {
            private final String name;
            private final Condition woken = lock.newCondition();

            /** What runs next. Guarded by the lock once the thread has started. */
            private @Nullable Runnable task;

            Worker(String name, @Nullable Runnable task) {
                this.name = name;
                this.task = task;
            }

            @Override
            public void run() {
                Thread thread = Thread.currentThread();
                String threadName = thread.getName();
                Runnable next = task == null ? lastOfAll() : task;
                while (next != null) {
                    try {
                        next.run();
                    } catch (Throwable e) {
                        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
                    }
                    Work.forget();
                    if (!thread.getName().equals(threadName)) {
                        thread.setName(threadName);
                    }
                    next = next();
                }
            }

            /** Lets the others go first, then takes what is still left. */
            private @Nullable Runnable lastOfAll() {
                lock.lock();
                try {
                    long until = machine.nanoTime() + PATIENCE_NANOS;
                    while (users > 0 && awaitUntil(until)) {
                        // nothing wakes it but the end
                    }
                    growing = false;
                } finally {
                    lock.unlock();
                }
                return next();
            }

            /** Waits for the next task; null when the thread ends. */
            private @Nullable Runnable next() {
                Runnable next;
                Worker further = null;
                lock.lock();
                try {
                    task = waiting.poll();
                    if (task == null) {
                        awaitTask();
                    } else {
                        further = growIfPossible();
                    }
                    next = task;
                    if (next == null) {
                        threads--;
                    }
                } finally {
                    lock.unlock();
                }
                if (further != null) {
                    // Without it the tasks that wait are taken by the threads that there are.
                    boolean unused = begin(further);
                }
                // What interrupted the last task must not disturb the next.
                boolean unused = Thread.interrupted();
                return next;
            }

            @GuardedBy("lock")
            private @Nullable Worker growIfPossible() {
                try {
                    return grow(name);
                } catch (OutOfMemoryError e) {
                    // This thread has a task to run.
                    return null;
                }
            }

            @GuardedBy("lock")
            private void awaitTask() {
                idle.push(this);
                long until = machine.nanoTime() + IDLE_NANOS;
                while (task == null && users > 0 && awaitUntil(until)) {
                    // until there is a task, or no more time
                }
                idle.remove(this);
            }

            /** Waits once; returns whether time is left. */
            @GuardedBy("lock")
            private boolean awaitUntil(long until) {
                long left = until - machine.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    machine.await(lock, woken, left);
                } catch (InterruptedException e) {
                    // It was meant for the last task.
                }
                return true;
            }
        }
    }
}
