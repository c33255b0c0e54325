package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing to be done in a lane: handle a notification, start a request, hand over an answer. */
abstract class LaneItem extends Work {
    enum Kind {
        NOTIFICATION,
        REQUEST,
        ANSWER,
        /** A problem to be told here; nothing that the peer sent. */
        REPORT
    }

    final Kind kind;

    /** How much memory the item takes; 0 for what is not bounded. */
    final int bytes;

    // Guarded by the lock of ConnectionState.

    /** Answers that threads of this item wait for. */
    List<Call> waitingFor = List.of();

    /** Since when threads of this item have waited for the peer without a break, if they do. */
    long waitingSince;

    /**
     * Whether the lane had another notification of the same method, and not a large one, right behind this when it
     * began to run. Only the lane's thread, which set it, looks at it.
     */
    boolean isFollowedByAnother;

    /** The lane that the item runs in. */
    @Nullable
    Lane lane;

    LaneItem(ConnectionState owner, Kind kind, int bytes) {
        super(owner);
        this.kind = kind;
        this.bytes = bytes;
    }

    final boolean startsHandler() {
        return kind == Kind.NOTIFICATION || kind == Kind.REQUEST;
    }

    final void beginWaiting(Call call, long now) {
        if (waitingFor.isEmpty()) {
            // Most items never wait, and there are many of them.
            waitingFor = new ArrayList<>(1);
            waitingSince = now;
        }
        waitingFor.add(call);
    }

    final void endWaiting(Call call) {
        waitingFor.remove(call);
    }

    final boolean waitsForPeer() {
        return !waitingFor.isEmpty();
    }

    /** Returns the call whose answer this hands over, or null. */
    @Nullable
    Call call() {
        return null;
    }

    /** Whether this and the other are notifications of one method that are handled alike. */
    boolean isLike(LaneItem other) {
        return false;
    }

    /** It will not run, as the connection cannot go on. Called with the lock held. */
    void discarded() {}

    /** Does it. Returns what is left to be done outside the lane, or null. Must not throw. */
    @Nullable
    abstract Runnable run();

    final @Nullable Runnable runAsCurrent() {
        begin();
        return run();
    }
}
