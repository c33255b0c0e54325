package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
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

    /** How long a handler waits for the peer before we suspect that the peer waits for something behind it. */
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

    /** Calls that nobody waits for any more, the oldest first; kept for their late answers. */
    @GuardedBy("lock")
    private final LinkedHashMap<RequestId, Call> givenUp = new LinkedHashMap<>();

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

    /** Calls that have failed with the connection and are not in their lanes yet. */
    @GuardedBy("lock")
    private int callsBetween;

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
            Call call = calls.remove(id);
            return call == null ? givenUp.remove(id) : call;
        } finally {
            settle();
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
            if (calls.remove(call.id()) != null) {
                givenUp.put(call.id(), call);
            }
            return givenUp.size() > limits.outgoingRequests()
                    ? givenUp.pollFirstEntry().getValue()
                    : null;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Takes all calls that have no answer yet. Until they are handed over, the connection does not come to rest. */
    List<Call> abandoned() {
        lock.lock();
        try {
            List<Call> all = new ArrayList<>(givenUp.values());
            all.addAll(calls.values());
            givenUp.clear();
            calls.clear();
            callsBetween += all.size();
            return all;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** The calls that were taken are in their lanes. */
    void handedOver(List<Call> abandoned) {
        lock.lock();
        try {
            callsBetween -= abandoned.size();
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
            wakeWaiters(call);
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
            wakeWaiters(call);
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Begins to wait for a call, or until there is enough. Whoever does must close what this returns. */
    Waiting waitFor(Call call, long timeoutNanos, BooleanSupplier enough) {
        Waiting waiting = new Waiting(call, timeoutNanos, enough);
        lock.lock();
        try {
            threadsWaiting++;
            roomInLane.signalAll();
            if (call.changed == null) {
                call.changed = lock.newCondition();
            }
            if (waiting.item != null) {
                beginWaiting(waiting.item, call);
            }
            return waiting;
        } finally {
            settle();
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void beginWaiting(LaneItem item, Call call) {
        if (item.waitingFor.isEmpty()) {
            item.waitingSince = time.nanoTime();
        }
        item.waitingFor.add(call);
        if (item.lane != null) {
            // From now on these may pass the item sooner.
            item.lane.answers.forEach(ConnectionState::wakeWaiters);
        }
    }

    private static void wakeWaiters(Call call) {
        if (call.changed != null) {
            call.changed.signalAll();
        }
    }

    /**
     * One thread that waits for one call, and the rules by which something may overtake handlers meanwhile. An answer
     * is only ever taken out of its place by a thread that waits for it:
     *
     * <ul>
     *   <li>at once, when it stands behind a handler which, directly or through others, waits for this very answer:
     *       nothing else could ever release it;
     *   <li>soon, when the thread works for a handler and the answer stands behind a handler that waits for the peer:
     *       the peer may be waiting for the thread's handler;
     *   <li>late, in all other cases.
     * </ul>
     *
     * And when the thread works for a handler that keeps a lane waiting, it accepts the requests of that lane: the peer
     * may need them answered first.
     */
    // All but waitFor() hold the lock, and next() loops; Error Prone sees neither. Lane items have no equals().
    @SuppressWarnings({"GuardedBy", "WaitNotInLoop", "ReferenceEquality"})
    final class Waiting implements AutoCloseable {
        private final Call call;
        private final BooleanSupplier enough;
        private final boolean forHandler;
        private final @Nullable LaneItem item;
        private final long deadline;
        private @Nullable LaneItem heldUpBy;
        private long patienceEnds;

        private Waiting(Call call, long timeoutNanos, BooleanSupplier enough) {
            Work work = Work.current();
            this.call = call;
            this.enough = enough;
            this.forHandler = work != null;
            this.item = work instanceof LaneItem own && own.owner == ConnectionState.this ? own : null;
            this.deadline = timeoutNanos == 0 ? Long.MAX_VALUE : time.nanoTime() + timeoutNanos;
        }

        /**
         * Waits until the call is done, there is enough or the time is over, then returns null. Returns before with
         * what overtakes, taken out of its lane: the caller runs it and waits on.
         */
        @Nullable
        LaneItem next() throws InterruptedException {
            lock.lockInterruptibly();
            try {
                while (call.progress != Call.Progress.DONE && !enough.getAsBoolean()) {
                    long now = time.nanoTime();
                    long answerFrom = answerOvertakesFrom(now);
                    long requestFrom = requestOvertakesFrom();
                    if (now >= answerFrom) {
                        return takeAnswer();
                    }
                    if (now >= requestFrom) {
                        return takeRequest();
                    }
                    if (deadline != Long.MAX_VALUE && now >= deadline) {
                        return null;
                    }
                    pause(now, Math.min(deadline, Math.min(answerFrom, requestFrom)));
                }
                return null;
            } finally {
                settle();
                lock.unlock();
            }
        }

        @Override
        public void close() {
            lock.lock();
            try {
                threadsWaiting--;
                if (item != null) {
                    item.waitingFor.remove(call);
                }
            } finally {
                settle();
                lock.unlock();
            }
        }

        private void pause(long now, long until) throws InterruptedException {
            Condition changed = Objects.requireNonNull(call.changed);
            if (until == Long.MAX_VALUE) {
                changed.await();
            } else {
                time.await(lock, changed, until - now);
            }
        }

        private long answerOvertakesFrom(long now) {
            Lane lane = call.queuedIn;
            if (lane == null) {
                return Long.MAX_VALUE;
            }
            if (waitsForItself(call, call, 0)) {
                return now;
            }
            if (heldUpBy != lane.running || patienceEnds == 0) {
                heldUpBy = lane.running;
                patienceEnds = now + limits.barrierPatience().toNanos();
            }
            if (forHandler && heldUpBy != null && heldUpBy.waitsForPeer()) {
                return Math.min(heldUpBy.waitingSince + OVERTAKING_NANOS, patienceEnds);
            }
            return patienceEnds;
        }

        private long requestOvertakesFrom() {
            if (item == null || item.isDone() || item.lane == null || item.lane.waitingRequests == 0) {
                return Long.MAX_VALUE;
            }
            return item.waitingSince + OVERTAKING_NANOS;
        }

        /** Takes the answer; notes for the report if it leaves notifications behind or a handler that is stuck. */
        private LaneItem takeAnswer() {
            Lane lane = Objects.requireNonNull(call.queuedIn);
            LaneItem running = lane.running;
            boolean own = waitsForItself(call, call, 0);
            boolean forPeer = running != null && running.waitsForPeer();
            boolean passes = !own && (running == null || running.kind == LaneItem.Kind.NOTIFICATION || !forPeer);
            for (LaneItem waiting : lane.waiting) {
                if (waiting.call() == call) {
                    if (passes) {
                        call.passed = own ? "waits for it" : forPeer ? "waits for the peer" : "does not return";
                    }
                    return take(lane, waiting);
                }
                passes |= waiting.kind == LaneItem.Kind.NOTIFICATION;
            }
            throw new AssertionError("no answer in its lane");
        }

        private LaneItem takeRequest() {
            Lane lane = Objects.requireNonNull(Objects.requireNonNull(item).lane);
            for (LaneItem waiting : lane.waiting) {
                if (waiting.kind == LaneItem.Kind.REQUEST) {
                    return take(lane, waiting);
                }
            }
            throw new AssertionError("no request in the lane");
        }

        private LaneItem take(Lane lane, LaneItem taken) {
            lane.waiting.remove(taken);
            left(lane, taken);
            return taken;
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

    // ---- lanes

    /**
     * Puts an item behind the others of its lane, waiting for room when the reader asks for it.
     *
     * @return the lane when it needs a thread, else null
     */
    @Nullable
    Lane enqueue(String key, LaneItem item) throws InterruptedException {
        lock.lock();
        try {
            Lane lane = lane(key);
            while (!hasRoom(lane, item)) {
                roomInLane.await();
                lane = lane(key);
            }
            lane.waiting.add(item);
            lane.waitingBytes += item.bytes;
            Call call = item.call();
            if (call != null) {
                call.progress = Call.Progress.ARRIVED;
                call.queuedIn = lane;
                lane.answers.add(call);
                wakeWaiters(call);
            }
            if (item.kind == LaneItem.Kind.REQUEST) {
                lane.waitingRequests++;
                if (lane.running != null) {
                    lane.running.waitingFor.forEach(ConnectionState::wakeWaiters);
                }
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
            lane = new Lane(key);
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
                lane.running.end();
                lane.running = null;
                // What interrupted that handler must not disturb the next.
                boolean unused = Thread.interrupted();
            }
            LaneItem item = lane.waiting.poll();
            if (item == null) {
                lane.busy = false;
                lanes.remove(lane.key);
                return null;
            }
            left(lane, item);
            lane.running = item;
            lane.thread = Thread.currentThread();
            item.lane = lane;
            return item;
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** An item waits in the lane no more. */
    @GuardedBy("lock")
    private void left(Lane lane, LaneItem item) {
        lane.waitingBytes -= item.bytes;
        roomInLane.signal();
        if (item.kind == LaneItem.Kind.REQUEST) {
            lane.waitingRequests--;
        }
        Call call = item.call();
        if (call != null) {
            lane.answers.remove(call);
            call.queuedIn = null;
        }
    }

    /** Whether nothing waits or runs in the lane, so that an answer may pass it by. */
    boolean isIdle(String key) {
        lock.lock();
        try {
            Lane lane = lanes.get(key);
            return lane == null || (lane.waiting.isEmpty() && isBehind(lane.running));
        } finally {
            lock.unlock();
        }
    }

    /** An answer lets its caller go on a moment before its lane notices that it is done. */
    private static boolean isBehind(@Nullable LaneItem item) {
        Call call = item == null ? null : item.call();
        return call != null && call.progress == Call.Progress.DONE;
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

    /** Cancels all requests of the peer, those included that wait in their lanes. */
    void cancelIncoming() {
        lock.lock();
        try {
            incoming.values().forEach(IncomingRequest::cancel);
        } finally {
            settle();
            lock.unlock();
        }
    }

    /** Interrupts all handlers, of requests and of what runs in lanes. */
    void interruptHandlers() {
        lock.lock();
        try {
            incoming.values().forEach(IncomingRequest::cancel);
            lanes.values().forEach(Lane::interrupt);
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

    /**
     * Drops what still waits in lanes, and interrupts what has come to run there since the others were. Returns the
     * calls whose answers were dropped: somebody waits for them.
     */
    List<Call> close() {
        List<Call> left = new ArrayList<>();
        lock.lock();
        try {
            phase = Phase.CLOSED;
            for (Lane lane : lanes.values()) {
                lane.interrupt();
                left.addAll(lane.answers);
                for (LaneItem item; (item = lane.waiting.poll()) != null; ) {
                    left(lane, item);
                }
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
        return handlersRunning == 0 && callsBetween == 0 && lanes.isEmpty();
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
