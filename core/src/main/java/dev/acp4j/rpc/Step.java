package dev.acp4j.rpc;

import java.time.Duration;
import java.util.concurrent.locks.Condition;
import org.jspecify.annotations.Nullable;

/**
 * Something that comes to its end in the order of the wire and that threads wait for: the answer to a {@link Call}, the
 * end of a turn. It ends in its lane, behind the deliveries of all messages before it; {@link Waiting} says when it may
 * leave that order. All methods may be called from any thread.
 */
public abstract class Step {
    enum Progress {
        /** The message that ends it has not been read. */
        OPEN,
        /** That message was read; the step waits behind earlier messages of its lane. */
        PLACED,
        /** Its place has come, and {@link #delivered()} runs. */
        DELIVERING,
        /** Threads that wait for it go on. */
        DONE
    }

    final Connection connection;
    final String lane;

    // Guarded by the lock of ConnectionState.

    Progress progress = Progress.OPEN;

    /** The lane in which the step waits for its place. */
    ConnectionState.@Nullable Lane placedIn;

    /** Why it is delivered before its turn; null when it is not. */
    @Nullable
    Problem outOfOrder;

    /** Signalled when something changes for the threads that wait; null while there are none. */
    @Nullable
    Condition changed;

    /**
     * Creates a step that has not been placed.
     *
     * @param connection the connection
     * @param lane the id of the session in whose lane it ends; empty for the connection's own
     */
    protected Step(Connection connection, String lane) {
        this.connection = connection;
        this.lane = lane;
    }

    /** Returns what is waited for, in words of the protocol, for messages. */
    protected abstract String name();

    /**
     * Is called once when the place of the step has come, before the threads that wait for it go on.
     *
     * @throws Exception is reported as a problem
     */
    protected void delivered() throws Exception {}

    /**
     * Returns whether the step may end on the thread that reads when nothing is before it: {@link #delivered()} then
     * runs no code of others and does not block.
     */
    protected boolean mayEndAnywhere() {
        return false;
    }

    /**
     * Is called when the connection ends before the step was placed; it is placed afterwards.
     *
     * @param failure what calls on the connection fail with
     * @throws InterruptedException when interrupted
     */
    protected void abandoned(RpcException failure) throws InterruptedException {}

    /** Returns true when the step has ended; {@link #join()} may return a moment later. */
    public final boolean isDone() {
        return connection.state.isDone(this);
    }

    /**
     * Waits until the step has ended. The thread may be a handler, also one that stands before it in its lane.
     *
     * @throws InterruptedException when the thread is interrupted
     * @throws WouldDeadlockException when the end cannot be read before the calling handler returns
     */
    public final void join() throws InterruptedException {
        boolean unused = awaitEnd(0);
    }

    /**
     * Waits as {@link #join()} does, but not longer than for a time.
     *
     * @param time how long, not negative; zero means without limit
     * @return whether the step has ended
     */
    public final boolean join(Duration time) throws InterruptedException {
        return awaitEnd(Limits.nanos(time));
    }

    /** Waits, and delivers what leaves the order meanwhile. Returns false when the time is over. */
    final boolean awaitEnd(long nanos) throws InterruptedException {
        Exchange.Hold hold = Work.current() instanceof Exchange.Hold held ? held : null;
        if (hold != null) {
            hold.beginPassing();
        }
        try (Waiting waiting = new Waiting(connection.state, this, nanos)) {
            Work.InLane overtaking;
            while ((overtaking = waiting.next()) != null) {
                connection.dispatcher.runBeside(overtaking.run());
            }
        } finally {
            if (hold != null) {
                hold.endPassing();
            }
        }
        return connection.state.isOver(this);
    }

    /** Wakes the threads that wait for the step, to look again. Called with the lock held. */
    final void wake() {
        if (changed != null) {
            changed.signalAll();
        }
    }
}
