package dev.acp4j.rpc;

import org.jspecify.annotations.Nullable;

/**
 * How many bytes of messages were read and are kept for one thread that takes them outside the lanes: the reader of a
 * turn. They count against {@link Limits#laneBytes()}; beyond that the reading thread waits, which slows the peer. All
 * methods may be called from any thread.
 */
public final class Backlog {
    private final Dispatcher dispatcher;
    private final ConnectionState state;

    // Guarded by the lock of ConnectionState.

    long bytes;

    /** The thread that takes what is kept; null while there is none. */
    @Nullable
    Thread consumer;

    Backlog(Connection connection) {
        this.dispatcher = connection.dispatcher;
        this.state = connection.state;
    }

    /** Adds what was kept. Never waits. Returns false when that is more than the bound. */
    public boolean add(long kept) {
        return state.add(this, kept);
    }

    /** Subtracts what was taken or discarded. */
    public void remove(long taken) {
        state.remove(this, taken);
    }

    /** Names the thread that takes what is kept; null for none, and then nothing waits for room. */
    public void consumedBy(@Nullable Thread thread) {
        state.consumedBy(this, thread);
    }

    /**
     * Waits until what is kept is within the bound, if there is a thread that takes it. To be called by the reading
     * thread, without a lock.
     *
     * @throws InterruptedException when interrupted
     */
    public void awaitRoom() throws InterruptedException {
        dispatcher.endSteps();
        state.awaitRoom(this);
    }
}
