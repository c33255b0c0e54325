package dev.acp4j.rpc;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The items of one session, or of the connection, in the order of the wire. Guarded by {@link ConnectionState}'s lock.
 */
final class Lane {
    final String key;

    ArrayDeque<LaneItem> waiting = new ArrayDeque<>();
    long waitingBytes;

    /** How many of those that wait are requests. */
    int waitingRequests;

    /** The calls whose answers wait here. */
    final List<Call> answers = new ArrayList<>(1);

    /** What runs now; null between items and when the lane is idle. */
    @Nullable
    LaneItem running;

    /** Whether a thread works on this lane, or is about to. */
    boolean busy;

    /** That thread, once it does. */
    @Nullable
    Thread thread;

    /** Interrupts the handler that runs here, if one does. */
    void interrupt() {
        if (running != null && thread != null) {
            thread.interrupt();
        }
    }

    Lane(String key) {
        this.key = key;
    }
}
