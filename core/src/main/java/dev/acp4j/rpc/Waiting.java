package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One thread that waits for one step, and all rules by which something leaves the order of the wire meanwhile.
 *
 * <p>A step is an item of a {@link ConnectionState.Lane} and ends when everything before it has been handled. That
 * would never end when a handler waits for a step that stands behind the handler. So a step may leave its place; but
 * only a thread that waits for it takes it out, and only
 *
 * <ul>
 *   <li><b>at once</b>, when it stands behind a handler which, directly or through others, waits for this very step:
 *       nothing else could ever release it;
 *   <li><b>soon</b>, when the thread works for a handler and the step stands behind a handler that has waited for the
 *       peer for {@link #OVERTAKING_NANOS}: the peer may be waiting for the thread's handler;
 *   <li><b>late</b>, in all other cases: when the handler before it has not come to its end for the time that
 *       {@link Limits#barrierPatience()} says.
 * </ul>
 *
 * <p>And when the thread works for a handler that keeps a lane waiting, it soon accepts the requests of that lane: the
 * peer may need them answered before it answers us. Notifications overtake nothing, ever.
 *
 * <p>The lane in which messages pass the interceptors is like the others, but only the answer that an interceptor waits
 * for may leave it: requests would be intercepted within the interceptor that waits. Any other step cannot leave it, as
 * the message that ends it is not known there.
 *
 * <p>A step whose message has not been read cannot be released in this way. When it cannot be read because the reading
 * thread waits for memory that the waiting thread keeps, the wait fails with {@link WouldDeadlockException}; see
 * {@link ConnectionState#deadlockedFrom}.
 *
 * <p>The wait-for graph is known from {@link Work.InLane#waitingFor}: a handler, and the threads that it starts (see
 * {@link Work}), wait for steps; a step waits in a lane ({@link Step#placedIn}); and the lane waits for the handler
 * that runs in it.
 *
 * <p>The lock of {@link ConnectionState} guards all of this.
 */
// All private methods hold the lock, which Error Prone does not see. Steps and lane items have no equals().
@SuppressWarnings({"GuardedBy", "ReferenceEquality"})
final class Waiting implements AutoCloseable {
    /** How long a handler waits for the peer before we suspect that the peer waits for something behind it. */
    private static final long OVERTAKING_NANOS = 20_000_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final ConnectionState state;
    private final ReentrantLock lock;
    private final Step step;
    private final long patience;
    private final long deadline;

    /** Whether the thread works for a handler, of whichever connection. */
    private final boolean forHandler;

    /** What keeps a lane of this connection waiting while the thread waits, if it works for such a thing. */
    private final Work.@Nullable InLane item;

    private Work.@Nullable InLane heldUpBy;
    private long patienceEnds;

    /**
     * Begins to wait for a step. The caller must close it.
     *
     * @param timeoutNanos how long; zero means without limit
     */
    Waiting(ConnectionState state, Step step, long timeoutNanos) {
        Work work = Work.current();
        this.state = state;
        this.lock = state.lock;
        this.step = step;
        this.patience = Limits.nanos(state.limits.barrierPatience());
        this.deadline = timeoutNanos == 0 ? NEVER : state.time.nanoTime() + timeoutNanos;
        this.forHandler = work != null;
        this.item = work instanceof Work.InLane own && own.owner == state ? own : null;
        begin();
    }

    private void begin() {
        lock.lock();
        try {
            state.beginWaiting(step);
            if (item != null) {
                item.beginWaiting(step, state.time.nanoTime());
                if (item.runsIn != null) {
                    // From now on the steps behind the item may pass it sooner.
                    item.runsIn.wakeSteps();
                }
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        lock.lock();
        try {
            state.endWaiting(step);
            if (item != null) {
                item.endWaiting(step);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the step has ended or the time is over, then returns null. Returns before with what leaves its lane:
     * the caller runs it and waits on.
     *
     * @throws WouldDeadlockException when the step cannot be read before this thread goes on
     */
    Work.@Nullable InLane next() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (step.progress != Step.Progress.DONE) {
                long now = state.time.nanoTime();
                long stepFrom = stepOvertakesFrom(now);
                long requestFrom = requestOvertakesFrom();
                long deadlockFrom = step.progress == Step.Progress.OPEN ? state.deadlockedFrom(item) : NEVER;
                if (now >= stepFrom) {
                    return takeStep();
                }
                if (now >= requestFrom) {
                    return takeRequest();
                }
                if (now >= deadline) {
                    return null;
                }
                if (now >= deadlockFrom) {
                    throw new WouldDeadlockException(step.name(), state.limits.laneBytes());
                }
                if (isInInterceptor() && !(step instanceof Call)) {
                    throw WouldDeadlockException.inInterceptor(step.name());
                }
                pause(now, Math.min(Math.min(deadline, deadlockFrom), Math.min(stepFrom, requestFrom)));
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    @SuppressWarnings("WaitNotInLoop") // The loop is the caller's.
    private void pause(long now, long until) throws InterruptedException {
        Condition changed = Objects.requireNonNull(step.changed);
        if (until == NEVER) {
            changed.await();
        } else {
            state.time.await(lock, changed, until - now);
        }
    }

    private long stepOvertakesFrom(long now) {
        ConnectionState.Lane lane = step.placedIn;
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

    private boolean isInInterceptor() {
        return item != null && !item.isDone() && item.runsIn != null && item.runsIn.key == ConnectionState.INTAKE;
    }

    private long requestOvertakesFrom() {
        if (item == null || item.isDone() || item.runsIn == null || !item.runsIn.hasRequests() || isInInterceptor()) {
            return NEVER;
        }
        return item.waitingSince + OVERTAKING_NANOS;
    }

    /** Whether the handler that holds up the step waits, directly or through others, for this very step. */
    private boolean waitsForItself() {
        List<Work.InLane> holdUps = new ArrayList<>(1);
        addHoldUp(holdUps, step);
        for (int i = 0; i < holdUps.size(); i++) {
            for (Step next : holdUps.get(i).waitingFor) {
                if (next == step) {
                    return true;
                }
                addHoldUp(holdUps, next);
            }
        }
        return false;
    }

    private static void addHoldUp(List<Work.InLane> holdUps, Step heldUp) {
        Work.InLane running = heldUp.placedIn == null ? null : heldUp.placedIn.running;
        if (running != null && running.waitsForPeer() && !holdUps.contains(running)) {
            holdUps.add(running);
        }
    }

    /** Takes the step; notes for the report if it leaves notifications behind or a handler that is stuck. */
    private Work.InLane takeStep() {
        ConnectionState.Lane lane = Objects.requireNonNull(step.placedIn);
        Work.InLane running = lane.running;
        boolean own = waitsForItself();
        boolean forPeer = running != null && running.waitsForPeer();
        boolean stuck = !own && (running == null || running.kind == Work.InLane.Kind.NOTIFICATION || !forPeer);
        Work.InLane taken = lane.itemOf(step);
        if (stuck || lane.hasNotificationBefore(taken)) {
            String why = own ? "waits for it" : forPeer ? "waits for the peer" : "does not return";
            step.outOfOrder = new Problem(
                    own || forPeer ? Problem.Kind.OUT_OF_ORDER : Problem.Kind.HANDLER_STUCK,
                    step.name() + ": answered before earlier messages were handled, whose handler " + why,
                    null);
        }
        lane.take(taken);
        return taken;
    }

    private Work.InLane takeRequest() {
        return Objects.requireNonNull(Objects.requireNonNull(item).runsIn).takeRequest();
    }
}
