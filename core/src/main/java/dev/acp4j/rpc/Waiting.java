package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One thread that waits for one call, and all rules by which something overtakes handlers meanwhile.
 *
 * <p>The order is that of the wire: an answer is an item of a {@link Lane}, and is handed over when everything before
 * it has been handled. That would last for ever when a handler waits for an answer that stands behind the handler. So
 * an answer may leave its place; but only a thread that waits for it takes it out, and only
 *
 * <ul>
 *   <li><b>at once</b>, when it stands behind a handler which, directly or through others, waits for this very answer:
 *       nothing else could ever release it;
 *   <li><b>soon</b>, when the thread works for a handler and the answer stands behind a handler that has waited for the
 *       peer for {@link #OVERTAKING_NANOS}: the peer may be waiting for the thread's handler;
 *   <li><b>late</b>, in all other cases: when the handler before it has not come to its end for the time that
 *       {@link Limits#barrierPatience()} says.
 * </ul>
 *
 * <p>And when the thread works for a handler that keeps a lane waiting, it soon accepts the requests of that lane: the
 * peer may need them answered before it answers us. Notifications overtake nothing, ever.
 *
 * <p>Who waits for whom is known from {@link LaneItem#waitingFor}: a handler, and the threads that it starts (see
 * {@link Work}), wait for calls; a call waits in a lane ({@link Call#queuedIn}); and the lane waits for the handler
 * that runs in it.
 *
 * <p>The lock of {@link ConnectionState} guards all of this.
 */
// All private methods hold the lock, which Error Prone does not see. Calls and lane items have no equals().
@SuppressWarnings({"GuardedBy", "ReferenceEquality"})
final class Waiting implements AutoCloseable {
    /** How long a handler waits for the peer before we suspect that the peer waits for something behind it. */
    private static final long OVERTAKING_NANOS = 20_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final ConnectionState state;
    private final ReentrantLock lock;
    private final Call call;
    private final BooleanSupplier enough;
    private final long patience;
    private final long deadline;

    /** Whether the thread works for a handler, of whichever connection. */
    private final boolean forHandler;

    /** What keeps a lane of this connection waiting while the thread waits, if it works for such a thing. */
    private final @Nullable LaneItem item;

    private @Nullable LaneItem heldUpBy;
    private long patienceEnds;

    private Waiting(ConnectionState state, Call call, long timeoutNanos, BooleanSupplier enough) {
        Work work = Work.current();
        this.state = state;
        this.lock = state.lock;
        this.call = call;
        this.enough = enough;
        this.patience = Limits.nanos(state.limits.barrierPatience());
        this.deadline = timeoutNanos == 0 ? NEVER : state.time.nanoTime() + timeoutNanos;
        this.forHandler = work != null;
        this.item = work instanceof LaneItem own && own.owner == state ? own : null;
    }

    /**
     * Begins to wait for a call. Whoever does must close what this returns.
     *
     * @param timeoutNanos how long; zero means for ever
     * @param enough ends the waiting before the call is done
     */
    static Waiting begin(ConnectionState state, Call call, long timeoutNanos, BooleanSupplier enough) {
        Waiting waiting = new Waiting(state, call, timeoutNanos, enough);
        waiting.begin();
        return waiting;
    }

    private void begin() {
        lock.lock();
        try {
            state.lanes.addWaiting(1);
            if (call.changed == null) {
                call.changed = lock.newCondition();
            }
            if (item != null) {
                item.beginWaiting(call, state.time.nanoTime());
                if (item.lane != null) {
                    // From now on the answers behind the item may pass it sooner.
                    item.lane.wakeAnswers();
                }
            }
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            state.lanes.addWaiting(-1);
            if (item != null) {
                item.endWaiting(call);
            }
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    /**
     * Waits until the call is done, there is enough or the time is over, then returns null. Returns before with what
     * overtakes, taken out of its lane: the caller runs it and waits on.
     */
    @Nullable
    LaneItem next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (call.progress != Call.Progress.DONE && !enough.getAsBoolean()) {
                long now = state.time.nanoTime();
                long answerFrom = answerOvertakesFrom(now);
                long requestFrom = requestOvertakesFrom();
                if (now >= answerFrom) {
                    return takeAnswer();
                }
                if (now >= requestFrom) {
                    return takeRequest();
                }
                if (now >= deadline) {
                    return null;
                }
                pause(now, Math.min(deadline, Math.min(answerFrom, requestFrom)));
            }
            return null;
        } finally {
            state.settle();
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
    private void pause(long now, long until) throws InterruptedException {
        Condition changed = Objects.requireNonNull(call.changed);
        if (until == NEVER) {
            changed.await();
        } else {
            state.time.await(lock, changed, until - now);
        }
    }

    private long answerOvertakesFrom(long now) {
        Lane lane = call.queuedIn;
        if (lane == null) {
            return NEVER;
        }
        if (waitsForItself()) {
            return now;
        }
        if (heldUpBy != lane.running || patienceEnds == 0) {
            heldUpBy = lane.running;
            patienceEnds = now + patience;
        }
        if (forHandler && heldUpBy != null && heldUpBy.waitsForPeer()) {
            return Math.min(heldUpBy.waitingSince + OVERTAKING_NANOS, patienceEnds);
        }
        return patienceEnds;
    }

    private long requestOvertakesFrom() {
        if (item == null || item.isDone() || item.lane == null || !item.lane.hasRequests()) {
            return NEVER;
        }
        return item.waitingSince + OVERTAKING_NANOS;
    }

    /** Whether the handler that holds up the answer waits, directly or through others, for this very answer. */
    private boolean waitsForItself() {
        List<LaneItem> holdUps = new ArrayList<>(1);
        addHoldUp(holdUps, call);
        for (int i = 0; i < holdUps.size(); i++) {
            for (Call next : holdUps.get(i).waitingFor) {
                if (next == call) {
                    return true;
                }
                addHoldUp(holdUps, next);
            }
        }
        return false;
    }

    private static void addHoldUp(List<LaneItem> holdUps, Call heldUp) {
        LaneItem running = heldUp.queuedIn == null ? null : heldUp.queuedIn.running;
        if (running != null && running.waitsForPeer() && !holdUps.contains(running)) {
            holdUps.add(running);
        }
    }

    /** Takes the answer; notes for the report if it leaves notifications behind or a handler that is stuck. */
    private LaneItem takeAnswer() {
        Lane lane = Objects.requireNonNull(call.queuedIn);
        LaneItem running = lane.running;
        boolean own = waitsForItself();
        boolean forPeer = running != null && running.waitsForPeer();
        boolean stuck = !own && (running == null || running.kind == LaneItem.Kind.NOTIFICATION || !forPeer);
        LaneItem answer = lane.answerOf(call);
        if (stuck || lane.hasNotificationBefore(answer)) {
            String why = own ? "waits for it" : forPeer ? "waits for the peer" : "does not return";
            call.passed = new Problem(
                    own || forPeer ? Problem.Kind.OUT_OF_ORDER : Problem.Kind.HANDLER_STUCK,
                    call.method() + ": answered before earlier messages were handled, whose handler " + why,
                    null);
        }
        lane.take(answer);
        state.lanes.hasLeft();
        return answer;
    }

    private LaneItem takeRequest() {
        LaneItem request =
                Objects.requireNonNull(Objects.requireNonNull(item).lane).takeRequest();
        state.lanes.hasLeft();
        return request;
    }
}
