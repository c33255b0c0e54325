package dev.acp4j.rpc;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What a connection takes from the machine that it runs on: time, threads and locks. A test that gives its own as the
 * connection's {@link Time} decides at every lock who runs next.
 */
class Machine implements Time {
    private final Time time;
    private final Workers workers = new Workers(this);

    Machine(Time time) {
        this.time = time;
    }

    static Machine of(Time time) {
        return time instanceof Machine machine ? machine : new Machine(time);
    }

    @Override
    public long nanoTime() {
        return time.nanoTime();
    }

    @Override
    public void await(ReentrantLock lock, Condition condition, long nanos) throws InterruptedException {
        time.await(lock, condition, nanos);
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

    /** Runs what may call handlers, on a thread that it may keep as long as it likes; see {@link Workers}. */
    void runHandlers(String name, Runnable task) {
        workers.run(name, task);
    }

    /** The connection has ended: its threads end when they have nothing to do. */
    void close() {
        workers.close();
    }
}
