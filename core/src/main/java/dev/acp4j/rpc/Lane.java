package dev.acp4j.rpc;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The items of one session, or of the connection, in the order of the wire. Guarded by {@link ConnectionState}'s lock.
 */
final class Lane {
    final String key;

    /** The connection's state that this lane is part of: a handler of one connection may wait for another one. */
    final ConnectionState owner;

    ArrayDeque<LaneItem> waiting = new ArrayDeque<>();
    long waitingBytes;

    /** What runs now; null between items and when the lane is idle. */
    @Nullable
    LaneItem running;

    /** Whether a thread works on this lane. */
    boolean busy;

    Lane(String key, ConnectionState owner) {
        this.key = key;
        this.owner = owner;
    }
}
