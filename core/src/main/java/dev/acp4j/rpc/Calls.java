package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Our requests, from their registration until their callers have been told how they ended. A part of
 * {@link ConnectionState}, whose lock guards it and the fields of {@link Call}.
 */
final class Calls {
    private final ConnectionState state;
    private final ReentrantLock lock;
    private final int limit;

    @GuardedBy("lock")
    private final Map<RequestId, Call> inFlight = new HashMap<>();

    /** Calls that nobody waits for any more, the oldest first; kept for their late answers. */
    @GuardedBy("lock")
    private final LinkedHashMap<RequestId, Call> givenUp = new LinkedHashMap<>();

    /** Calls that have failed with the connection and are not in their lanes yet. */
    @GuardedBy("lock")
    private int between;

    @GuardedBy("lock")
    private long nextId;

    Calls(ConnectionState state, int limit) {
        this.state = state;
        this.lock = state.lock;
        this.limit = limit;
    }

    /** Registers a call. Returns false when the connection takes no more; throws when too many are in flight. */
    boolean register(Call call) {
        lock.lock();
        try {
            if (!state.isOpen()) {
                return false;
            }
            if (inFlight.size() >= limit) {
                throw new IllegalStateException("too many requests in flight: " + inFlight.size());
            }
            inFlight.put(call.id(), call);
            return true;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    RequestId nextId() {
        lock.lock();
        try {
            return RequestId.of(nextId++);
        } finally {
            lock.unlock();
        }
    }

    /** Takes the call that an answer belongs to; null when there is none. */
    @Nullable
    Call answered(RequestId id) {
        lock.lock();
        try {
            Call call = inFlight.remove(id);
            return call == null ? givenUp.remove(id) : call;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /**
     * Notes that a caller waits no longer: the call is not in flight any more, though a late answer still finds it.
     * Returns the call that is forgotten for that, when there are too many; else null.
     */
    @Nullable
    Call giveUp(Call call) {
        lock.lock();
        try {
            if (inFlight.remove(call.id()) != null) {
                givenUp.put(call.id(), call);
            }
            return givenUp.size() > limit ? givenUp.pollFirstEntry().getValue() : null;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /**
     * Takes a call that has no answer, null when there is none. Until it is handed over, the connection does not come
     * to rest.
     */
    @Nullable
    Call abandoned() {
        lock.lock();
        try {
            Map<RequestId, Call> left = givenUp.isEmpty() ? inFlight : givenUp;
            if (left.isEmpty()) {
                return null;
            }
            Call call = left.values().iterator().next();
            left.remove(call.id());
            between++;
            return call;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** The call that was taken is in its lane. */
    void handedOver() {
        lock.lock();
        try {
            between--;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Returns true when the peer is to be told; at most once for each call, and not for one that is done. */
    boolean markCancelled(Call call) {
        lock.lock();
        try {
            boolean tell = !call.cancelSent && inFlight.containsKey(call.id());
            call.cancelSent = true;
            return tell;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Takes a call whose outcome is set, to tell its listener. Returns false when somebody else did. */
    boolean beginTelling(Call call) {
        lock.lock();
        try {
            if (call.progress == Call.Progress.TELLING || call.progress == Call.Progress.DONE) {
                return false;
            }
            call.progress = Call.Progress.TELLING;
            return true;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Ends a call: wakes those who wait for it. Returns whether its end is still to be measured. */
    boolean complete(Call call) {
        lock.lock();
        try {
            call.progress = Call.Progress.DONE;
            call.wakeWaiters();
            return !call.measured;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Returns true when the end of a call that is not done is to be measured now, and not when its answer comes. */
    boolean beginMeasuring(Call call) {
        lock.lock();
        try {
            boolean first = !call.measured && call.progress != Call.Progress.DONE;
            call.measured = true;
            return first;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    boolean isDone(Call call) {
        lock.lock();
        try {
            return call.progress == Call.Progress.TELLING || call.progress == Call.Progress.DONE;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the call has ended for those who wait for it too. */
    boolean isOver(Call call) {
        lock.lock();
        try {
            return call.progress == Call.Progress.DONE;
        } finally {
            lock.unlock();
        }
    }

    /** Lets those look again who wait for a call or for something else. */
    void wake(Call call) {
        lock.lock();
        try {
            call.wakeWaiters();
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /** Whether none is on its way into its lane. Called with the lock held. */
    @GuardedBy("lock")
    boolean areAtRest() {
        return between == 0;
    }
}
