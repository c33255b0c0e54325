package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

// Longer than other classes because it is the one place where a connection's state changes: to take it apart would
// spread what one lock guards over several files.

/**
 * All that changes while a connection lives: calls that wait for answers, requests that are being handled, lanes, and
 * the phase of its life. Whatever changes it goes through {@link #settle()}, which decides whether the connection has
 * come to rest; work can only become less once it no longer accepts new work, so an ending connection ends.
 *
 * <p>One lock guards everything here, including the fields of {@link Lane}, {@link Call} and {@link IncomingRequest}
 * that say so. While holding it nobody writes, reads, runs a handler or takes another lock; threads may be interrupted
 * and woken.
 */
final class ConnectionState {
    enum Phase {
        OPEN,
        /** The peer will send nothing more, or we want nothing more; handlers may finish and answer. */
        DRAINING,
        CLOSED
    }

    /** How waiting for an answer ended. */
    enum Awaited {
        DONE,
        /** The answer waits for a handler that waits for it: the caller must take it out of order. */
        OWN_HANDLER_WAITS,
        /** The answer waits for a handler that does not return: the caller takes it out of order. */
        OUT_OF_PATIENCE,
        /** Requests or answers wait behind the handler that waits here; its own answer may depend on them. */
        OTHERS_HELD_UP,
        TIMED_OUT
    }

    /** How long requests and answers stay behind a handler that waits for the peer before they may overtake it. */
    private static final long OVERTAKING_NANOS = 20_000_000;

    /** How much further than its limit a lane may grow while somebody waits for an answer that is still to be read. */
    private static final int WAITING_FACTOR = 4;

    private final Limits limits;
    private final Time time;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition roomInLane = lock.newCondition();
    private final Condition rest = lock.newCondition();

    @GuardedBy("lock")
    private final Map<RequestId, Call> calls = new HashMap<>();

    @GuardedBy("lock")
    private final Map<RequestId, IncomingRequest> incoming = new HashMap<>();

    @GuardedBy("lock")
    private final Map<String, Lane> lanes = new HashMap<>();

    @GuardedBy("lock")
    private Phase phase = Phase.OPEN;

    @GuardedBy("lock")
    private @Nullable Throwable reason;

    @GuardedBy("lock")
    private int handlersRunning;

    @GuardedBy("lock")
    private int threadsWaiting;

    @GuardedBy("lock")
    private long nextId;

    ConnectionState(Limits limits, Time time) {
        this.limits = limits;
        this.time = time;
    }

    // ---- calls to the peer

    /** Registers a call. Returns false when the connection takes no more; throws when too many are in flight. */
    boolean register(Call call) {
        lock.lock();
        try {
            if (phase != Phase.OPEN) {
                return false;
            }
            if (calls.size() >= limits.outgoingRequests()) {
                throw new IllegalStateException("too many requests in flight: " + calls.size());
            }
            calls.put(call.id(), call);
            return true;
        } finally {
            settle();
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
            return calls.remove(id);
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Takes all calls that have no answer yet. */
    List<Call> abandoned() {
        lock.lock();
        try {
            List<Call> all = new ArrayList<>(calls.values());
            calls.clear();
            return all;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Returns true when the peer is to be told; at most once for each call, and not for one that is done. */
    boolean markCancelled(Call call) {
        lock.lock();
        try {
            boolean tell = !call.cancelSent && calls.containsKey(call.id());
            call.cancelSent = true;
            return tell;
        } finally {
            settle();
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
            call.queuedIn = null;
            return true;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Ends a call: wakes those who wait for it. */
    void complete(Call call) {
        lock.lock();
        try {
            call.progress = Call.Progress.DONE;
            if (call.changed != null) {
                call.changed.signalAll();
            }
        } finally {
            settle();
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

    /**
     * Waits until the call is done. An answer that waits in a lane behind a handler which, directly or through others,
     * waits for this very answer is taken at once: nothing else could ever release it.
     */
    Awaited await(Call call, long timeoutNanos) throws InterruptedException {
        LaneItem item = ownItem();
        lock.lockInterruptibly();
        try {
            beginWaiting(call, item);
            try {
                return new Waiting(call, item, timeoutNanos).untilDone();
            } finally {
                endWaiting(call, item);
            }
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Returns the item that this thread works for, if it is one of this connection. */
    private @Nullable LaneItem ownItem() {
        LaneItem item = LaneItem.current();
        return item != null && item.lane != null && item.lane.owner == this ? item : null;
    }

    @GuardedBy("lock")
    private void beginWaiting(Call call, @Nullable LaneItem item) {
        threadsWaiting++;
        roomInLane.signalAll();
        if (call.changed == null) {
            call.changed = lock.newCondition();
        }
        if (item != null && !item.done) {
            item.waitingFor.add(call);
        }
    }

    @GuardedBy("lock")
    private void endWaiting(Call call, @Nullable LaneItem item) {
        threadsWaiting--;
        if (item != null) {
            item.waitingFor.remove(call);
        }
    }

    // Its only user, await(), holds the lock and loops; Error Prone cannot see either. Lane items have no equals().
    @SuppressWarnings({"GuardedBy", "WaitNotInLoop", "ReferenceEquality"})
    private final class Waiting {
        private final Call call;
        private final @Nullable LaneItem item;
        private final long overtakingFrom = time.nanoTime() + OVERTAKING_NANOS;
        private final long deadline;
        private @Nullable LaneItem heldUpBy;
        private long patienceEnds;

        Waiting(Call call, @Nullable LaneItem item, long timeoutNanos) {
            this.call = call;
            this.item = item;
            this.deadline = timeoutNanos == 0 ? Long.MAX_VALUE : time.nanoTime() + timeoutNanos;
        }

        Awaited untilDone() throws InterruptedException {
            while (call.progress != Call.Progress.DONE) {
                if (call.queuedIn != null && waitsForItself(call, call, 0)) {
                    return Awaited.OWN_HANDLER_WAITS;
                }
                long now = time.nanoTime();
                if (isHeldUp(now)) {
                    return Awaited.OUT_OF_PATIENCE;
                }
                if (now >= overtakingFrom && heldUp(item) != null) {
                    return Awaited.OTHERS_HELD_UP;
                }
                if (deadline != Long.MAX_VALUE && now >= deadline) {
                    return Awaited.TIMED_OUT;
                }
                pause(now);
            }
            return Awaited.DONE;
        }

        private boolean isHeldUp(long now) {
            if (call.queuedIn == null) {
                return false;
            }
            if (patienceEnds == 0 || heldUpBy != call.queuedIn.running) {
                heldUpBy = call.queuedIn.running;
                patienceEnds = now + limits.barrierPatience().toNanos();
            }
            return now >= patienceEnds;
        }

        private void pause(long now) throws InterruptedException {
            Condition changed = Objects.requireNonNull(call.changed);
            long nanos = deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - now;
            if (patienceEnds != 0) {
                nanos = Math.min(nanos, Math.max(patienceEnds - now, 1));
            }
            if (now < overtakingFrom && heldUp(item) != null) {
                nanos = Math.min(nanos, overtakingFrom - now);
            }
            if (nanos == Long.MAX_VALUE) {
                changed.await();
            } else {
                time.await(lock, changed, nanos);
            }
        }
    }

    @GuardedBy("lock")
    private boolean waitsForItself(Call from, Call target, int hops) {
        Lane lane = from.queuedIn;
        LaneItem running = lane == null ? null : lane.running;
        if (running == null || hops > lanes.size()) {
            return false;
        }
        for (Call next : running.waitingFor) {
            if (next == target || waitsForItself(next, target, hops + 1)) {
                return true;
            }
        }
        return false;
    }

    /** Takes what may overtake out of the lane whose running item waits for the peer; null when there is nothing. */
    @Nullable
    LaneItem takeHeldUp() {
        LaneItem item = ownItem();
        lock.lock();
        try {
            LaneItem next = heldUp(item);
            if (next != null && item != null && item.lane != null) {
                item.lane.waiting.remove(next);
                item.lane.waitingBytes -= next.bytes;
            }
            return next;
        } finally {
            settle();
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private @Nullable LaneItem heldUp(@Nullable LaneItem item) {
        if (item != null && !item.done && item.lane != null) {
            for (LaneItem waiting : item.lane.waiting) {
                if (waiting.mayOvertake) {
                    return waiting;
                }
            }
        }
        return null;
    }

    @GuardedBy("lock")
    private void wakeWaiters(LaneItem item) {
        for (Call call : item.waitingFor) {
            if (call.changed != null) {
                call.changed.signalAll();
            }
        }
    }

    // ---- lanes

    /**
     * Puts an item behind the others of its lane, waiting for room when the reader asks for it.
     *
     * @param call the call whose answer the item hands over, or null
     * @return the lane when it needs a thread, else null
     */
    @Nullable
    Lane enqueue(String key, LaneItem item, @Nullable Call call) throws InterruptedException {
        lock.lock();
        try {
            Lane lane = lane(key);
            while (!hasRoom(lane, item)) {
                roomInLane.await();
                lane = lane(key);
            }
            lane.waiting.add(item);
            lane.waitingBytes += item.bytes;
            if (call != null && (call.progress == Call.Progress.SENT || call.progress == Call.Progress.ARRIVED)) {
                call.progress = Call.Progress.ARRIVED;
                call.queuedIn = lane;
                if (call.changed != null) {
                    call.changed.signalAll();
                }
            }
            if (lane.running != null && item.mayOvertake) {
                wakeWaiters(lane.running);
            }
            boolean needsThread = !lane.busy;
            lane.busy = true;
            return needsThread ? lane : null;
        } finally {
            settle();
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private Lane lane(String key) {
        Lane lane = lanes.get(key);
        if (lane == null) {
            lane = new Lane(key, this);
            lanes.put(key, lane);
        }
        return lane;
    }

    @GuardedBy("lock")
    private boolean hasRoom(Lane lane, LaneItem item) {
        long limit = threadsWaiting > 0 ? limits.laneBytes() * WAITING_FACTOR : limits.laneBytes();
        return item.bytes == 0
                || lane.waitingBytes == 0
                || lane.waitingBytes + item.bytes <= limit
                || phase == Phase.CLOSED;
    }

    /**
     * Marks what ran in the lane as done and takes what comes next; null when the lane is idle, and is then forgotten.
     */
    @Nullable
    LaneItem next(Lane lane) {
        lock.lock();
        try {
            if (lane.running != null) {
                lane.running.done = true;
                lane.running = null;
            }
            LaneItem item = lane.waiting.poll();
            if (item == null) {
                lane.busy = false;
                lanes.remove(lane.key);
                return null;
            }
            lane.waitingBytes -= item.bytes;
            lane.running = item;
            item.lane = lane;
            roomInLane.signal();
            return item;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Whether nothing waits or runs in the lane, so that an answer may pass it by. */
    boolean isIdle(String key) {
        lock.lock();
        try {
            return !lanes.containsKey(key);
        } finally {
            lock.unlock();
        }
    }

    // ---- requests of the peer

    /** Admits a request. Returns null when it may be handled, else why not. */
    @Nullable
    RpcError admit(IncomingRequest request) {
        lock.lock();
        try {
            if (phase != Phase.OPEN) {
                return new RpcError(RpcError.INTERNAL_ERROR, "The connection is closing");
            }
            if (incoming.containsKey(request.id())) {
                return RpcError.invalidRequest("a request with this id is still in flight");
            }
            if (incoming.size() >= limits.incomingRequests()) {
                return new RpcError(RpcError.INTERNAL_ERROR, "Too many requests in flight: " + incoming.size());
            }
            incoming.put(request.id(), request);
            handlersRunning++;
            return null;
        } finally {
            settle();
            lock.unlock();
        }
    }

    void handledBy(IncomingRequest request, Thread thread) {
        lock.lock();
        try {
            request.runsOn(thread);
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** The handler has returned: later cancellations concern nobody, and the id is free once the answer is written. */
    void handled(IncomingRequest request) {
        lock.lock();
        try {
            request.finished();
            incoming.remove(request.id());
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** The answer is queued. */
    void answerQueued() {
        lock.lock();
        try {
            handlersRunning--;
        } finally {
            settle();
            lock.unlock();
        }
    }

    void cancelIncoming(RequestId id) {
        lock.lock();
        try {
            IncomingRequest request = incoming.get(id);
            if (request != null) {
                request.cancel();
            }
        } finally {
            settle();
            lock.unlock();
        }
    }

    void cancelAllIncoming() {
        lock.lock();
        try {
            for (IncomingRequest request : incoming.values()) {
                request.cancel();
            }
        } finally {
            settle();
            lock.unlock();
        }
    }

    // ---- life

    /** Stops accepting new work; the first reason stays. */
    void drain(@Nullable Throwable why) {
        lock.lock();
        try {
            if (phase == Phase.OPEN) {
                phase = Phase.DRAINING;
                reason = why;
            }
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Waits until no handler runs and no lane has work. Returns false when the time is over. */
    boolean awaitRest(long nanos) {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            while (!isAtRest()) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return false;
                }
                time.await(lock, rest, left);
            }
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Drops what still waits in lanes. Returns the calls whose answers were among it: somebody waits for them. */
    List<Call> close() {
        List<Call> left = new ArrayList<>();
        lock.lock();
        try {
            phase = Phase.CLOSED;
            for (Lane lane : lanes.values()) {
                for (LaneItem item : lane.waiting) {
                    Call call = item.call();
                    if (call != null) {
                        left.add(call);
                    }
                }
                lane.waiting = new ArrayDeque<>();
            }
            return left;
        } finally {
            settle();
            lock.unlock();
        }
    }

    boolean isOpen() {
        lock.lock();
        try {
            return phase == Phase.OPEN;
        } finally {
            lock.unlock();
        }
    }

    @Nullable
    Throwable reason() {
        lock.lock();
        try {
            return reason;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isAtRest() {
        return handlersRunning == 0 && lanes.isEmpty();
    }

    /**
     * Ends every change: looks whether the connection has come to rest. Called with the lock held, in finally blocks.
     */
    @SuppressWarnings("GuardedBy") // Error Prone takes the lock for released in a finally block that unlocks it.
    private void settle() {
        if (phase != Phase.OPEN) {
            roomInLane.signalAll();
            if (isAtRest()) {
                rest.signalAll();
            }
        }
    }
}
