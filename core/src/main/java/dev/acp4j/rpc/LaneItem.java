package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One thing to be done in a lane: handle a notification, start a request, hand over an answer. */
abstract class LaneItem {
    /**
     * The item that the current thread works for: inherited by threads which its handler starts, so that their waiting
     * is known to be the handler's waiting.
     */
    private static final InheritableThreadLocal<@Nullable LaneItem> CURRENT = new InheritableThreadLocal<>();

    /** How many bytes of messages the item holds. */
    final int bytes;

    /** Answers that threads of this item wait for. Guarded by the lock of {@link ConnectionState}. */
    final List<Call> waitingFor = new ArrayList<>(1);

    /** The lane that the item runs in. Guarded by the lock of {@link ConnectionState}. */
    @Nullable
    Lane lane;

    /** Guarded by the lock of {@link ConnectionState}. */
    boolean done;

    /** Whether the item may start while an earlier one of its lane waits for the peer. */
    final boolean mayOvertake;

    LaneItem(int bytes, boolean mayOvertake) {
        this.bytes = bytes;
        this.mayOvertake = mayOvertake;
    }

    /** Returns the call whose answer this hands over, or null. */
    @Nullable
    Call call() {
        return null;
    }

    /** Does it. Must not throw. */
    abstract void run();

    static @Nullable LaneItem current() {
        return CURRENT.get();
    }

    final void runAsCurrent() {
        CURRENT.set(this);
        run();
    }
}
