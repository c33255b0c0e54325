package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * All that changes while a connection lives: its phase, our calls, the peer's requests, and the lanes in which messages
 * wait for their handlers. Whenever the lock is released, it is looked whether the connection has come to rest; work
 * can only become less once no new work is accepted, so an ending connection ends. {@link Waiting} says what may leave
 * the order of the wire, and when.
 *
 * <p>One lock guards everything here but the next id, and the fields of {@link Work.InLane}, {@link Step},
 * {@link Call}, {@link Connection.Backlog} and {@link IncomingRequest} that say so. While it is held nothing is written
 * or read, no handler runs and no other lock is taken; threads may be interrupted and woken.
 */
@SuppressWarnings("ReferenceEquality") // Steps and lane items are what they are; they have no equals().
final class ConnectionState {
    private enum Phase {
        OPEN,
        /** The peer will send nothing more, or we want nothing more; handlers may finish and answer. */
        DRAINING,
        CLOSED
    }

    /**
     * How many times its limit a lane may take while a thread waits for an answer that has not been read; also how much
     * all lanes may take together.
     */
    private static final int WAITING_FACTOR = 4;

    /** The key of the lane in which messages pass the interceptors. No session has it, whatever its id. */
    static final Object INTAKE = new Object();

    /** What the reading thread waits for when it is not a single lane or backlog. */
    private static final Object ALL_LANES = new Object();

    final Limits limits;
    final Time time;
    final ReentrantLock lock;
    private final Condition rest;
    private final Condition room;

    @GuardedBy("lock")
    private Phase phase = Phase.OPEN;

    @GuardedBy("lock")
    private @Nullable Throwable reason;

    /** Whether all that the peer sent was read. */
    @GuardedBy("lock")
    private boolean inputEnded;

    ConnectionState(Limits limits, Machine machine) {
        this.limits = limits;
        this.time = machine;
        // Not a lambda: to link one takes a part of the time to the first answer.
        this.lock = machine.newLock(new Runnable() {
            @Override
            @SuppressWarnings("GuardedBy") // The lock is about to be released.
            public void run() {
                signalRest();
            }
        });
        this.rest = lock.newCondition();
        this.room = lock.newCondition();
    }

    // ---- the phase

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

    /** Stops accepting new work; the first reason stays. Returns true the first time. */
    boolean drain(@Nullable Throwable why) {
        lock.lock();
        try {
            if (phase != Phase.OPEN) {
                return false;
            }
            phase = Phase.DRAINING;
            reason = reason == null ? why : reason;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Remembers a failure, also when the connection has begun to end without one; the first one stays. */
    void failed(Throwable why) {
        lock.lock();
        try {
            if (reason == null) {
                reason = why;
            }
        } finally {
            lock.unlock();
        }
    }

    /** All that the peer sent was read. */
    void inputEnded() {
        lock.lock();
        try {
            inputEnded = true;
            rest.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until all was read that the peer sent, for a time. */
    void awaitInputEnd(long nanos) {
        long deadline = time.nanoTime() + nanos;
        lock.lock();
        try {
            long left = nanos;
            while (!inputEnded && left > 0) {
                time.await(lock, rest, left);
                left = deadline - time.nanoTime();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
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
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean isAtRest() {
        return unanswered == 0 && between == 0 && busy.isEmpty();
    }

    /** Runs before each release of the lock. */
    @GuardedBy("lock")
    private void signalRest() {
        if (phase != Phase.OPEN && isAtRest()) {
            rest.signalAll();
        }
    }

    // ---- our calls, and other steps, from their beginning until the threads that wait for them go on

    /** Drawn without the lock. */
    private final AtomicLong nextId = new AtomicLong();

    @GuardedBy("lock")
    private final Map<RequestId, Call> calls = new HashMap<>();

    /** Calls that nobody waits for any more, the oldest first; kept for their late answers. */
    @GuardedBy("lock")
    private final LinkedHashMap<RequestId, Call> abandonedCalls = new LinkedHashMap<>();

    /** Steps that are not calls and that have not been placed. */
    @GuardedBy("lock")
    private final Set<Step> steps = new HashSet<>();

    /** Steps that have failed with the connection and are not in their lanes yet. */
    @GuardedBy("lock")
    private int between;

    RequestId nextId() {
        return RequestId.of(nextId.getAndIncrement());
    }

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
            lock.unlock();
        }
    }

    /** Registers another step. Returns false when the connection takes no more. */
    boolean register(Step step) {
        lock.lock();
        try {
            return phase == Phase.OPEN && steps.add(step);
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
            return call == null ? abandonedCalls.remove(id) : call;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the call with this id whose answer has not been read; null when there is none. */
    @Nullable
    Call inFlight(@Nullable RequestId id) {
        lock.lock();
        try {
            Call call = id == null ? null : calls.get(id);
            return call == null || call.progress != Step.Progress.OPEN ? null : call;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Notes that a caller waits no longer: the call is not in flight any more, though a late answer still finds it.
     * Returns the oldest such call when there are too many, which is forgotten; else null.
     */
    @Nullable
    Call abandon(Call call) {
        lock.lock();
        try {
            if (calls.remove(call.id()) != null) {
                abandonedCalls.put(call.id(), call);
            }
            return abandonedCalls.size() > limits.outgoingRequests()
                    ? abandonedCalls.pollFirstEntry().getValue()
                    : null;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes a step that will not be placed by a message, null when there is none. Until {@link #placed} the connection
     * does not come to rest.
     */
    @Nullable
    Step takeOpen() {
        lock.lock();
        try {
            Map<RequestId, Call> left = abandonedCalls.isEmpty() ? calls : abandonedCalls;
            Step step;
            if (left.isEmpty()) {
                if (steps.isEmpty()) {
                    return null;
                }
                step = steps.iterator().next();
                steps.remove(step);
            } else {
                Call call = left.values().iterator().next();
                left.remove(call.id());
                step = call;
            }
            between++;
            return step;
        } finally {
            lock.unlock();
        }
    }

    /** A step that was taken is in its lane. */
    void placed() {
        lock.lock();
        try {
            between--;
        } finally {
            lock.unlock();
        }
    }

    /** The step is about to be placed: the end of the connection does not concern it any more. */
    void forget(Step step) {
        lock.lock();
        try {
            steps.remove(step);
        } finally {
            lock.unlock();
        }
    }

    /** Returns true when the peer must be asked to cancel: at most once for each call, not for one that is done. */
    boolean markCancelled(Call call) {
        lock.lock();
        try {
            boolean ask = !call.cancelSent && calls.containsKey(call.id());
            call.cancelSent = true;
            return ask;
        } finally {
            lock.unlock();
        }
    }

    /** Begins to deliver a step. Returns false when that was done before. */
    boolean beginDelivery(Step step) {
        lock.lock();
        try {
            if (step.progress == Step.Progress.DELIVERING || step.progress == Step.Progress.DONE) {
                return false;
            }
            step.progress = Step.Progress.DELIVERING;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a step: wakes the threads that wait for it. */
    void finish(Step step) {
        lock.lock();
        try {
            steps.remove(step);
            step.progress = Step.Progress.DONE;
            step.wake();
        } finally {
            lock.unlock();
        }
    }

    /** Returns true once: when the end of a call has not been measured. */
    boolean beginMeasuring(Call call) {
        lock.lock();
        try {
            boolean first = !call.measured;
            call.measured = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    boolean isDone(Step step) {
        lock.lock();
        try {
            return step.progress == Step.Progress.DELIVERING || step.progress == Step.Progress.DONE;
        } finally {
            lock.unlock();
        }
    }

    /** Whether the step has ended for the threads that wait for it, too. */
    boolean isOver(Step step) {
        lock.lock();
        try {
            return step.progress == Step.Progress.DONE;
        } finally {
            lock.unlock();
        }
    }

    // ---- the peer's requests, from their admission until their answers are queued

    /** Those whose handlers have not returned. */
    @GuardedBy("lock")
    private final Map<RequestId, IncomingRequest> requests = new HashMap<>();

    /** Those that were accepted for good and are answered early, and whose handlers have not returned. */
    @GuardedBy("lock")
    private final Set<IncomingRequest> goingOn = new HashSet<>();

    @GuardedBy("lock")
    private long requestBytes;

    /** Answers that wait for room in the outbox, each on a thread of its own. */
    @GuardedBy("lock")
    private int stuckAnswers;

    @GuardedBy("lock")
    private long stuckBytes;

    /** How many were admitted whose answers are not queued, or whose handlers go on. */
    @GuardedBy("lock")
    private int unanswered;

    /** Admits a request. Returns null when it may be handled, else why not. */
    @Nullable
    RpcError admit(IncomingRequest request) {
        lock.lock();
        try {
            if (phase != Phase.OPEN) {
                return new RpcError(RpcError.INTERNAL_ERROR, "The connection is closing");
            }
            if (requests.containsKey(request.id())) {
                return RpcError.invalidRequest("a request with this id is still in flight");
            }
            int count = requests.size() + goingOn.size() + stuckAnswers;
            long held = requestBytes + stuckBytes;
            if (count >= limits.incomingRequests()) {
                return new RpcError(RpcError.INTERNAL_ERROR, "Too many requests in flight: " + count);
            }
            if (held > 0 && held + request.bytes() > limits.incomingBytes()) {
                return new RpcError(
                        RpcError.INTERNAL_ERROR,
                        "Too many bytes in flight: " + held + " of " + count + " requests and " + request.bytes()
                                + " of this one, allowed are " + limits.incomingBytes());
            }
            requests.put(request.id(), request);
            requestBytes += request.bytes();
            unanswered++;
            return null;
        } finally {
            lock.unlock();
        }
    }

    List<IncomingRequest> unanswered() {
        lock.lock();
        try {
            return List.copyOf(requests.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the request that a thread handles, or null. */
    @Nullable
    IncomingRequest handledBy(Thread thread) {
        lock.lock();
        try {
            for (IncomingRequest request : requests.values()) {
                if (request.isOn(thread)) {
                    return request;
                }
            }
            return null;
        } finally {
            lock.unlock();
        }
    }

    void handledBy(IncomingRequest request, Thread thread) {
        lock.lock();
        try {
            request.runsOn(thread);
        } finally {
            lock.unlock();
        }
    }

    boolean keepOnAnswered(IncomingRequest request, Runnable action) {
        lock.lock();
        try {
            return request.keepOnAnswered(action);
        } finally {
            lock.unlock();
        }
    }

    boolean keepOnCancel(IncomingRequest request, Runnable action) {
        lock.lock();
        try {
            return request.keepOnCancel(action);
        } finally {
            lock.unlock();
        }
    }

    /**
     * The handler has returned: later cancellations concern nobody, and the id is free once the answer is written.
     * Returns false when the request was released, so that nobody waits for an answer.
     */
    boolean handled(IncomingRequest request) {
        boolean isAwaited;
        Runnable action;
        lock.lock();
        try {
            isAwaited = finish(request);
            action = request.takeOnAnswered();
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
        return isAwaited;
    }

    @GuardedBy("lock")
    private boolean finish(IncomingRequest request) {
        request.finished();
        if (!requests.remove(request.id(), request) && !goingOn.remove(request)) {
            return false;
        }
        requestBytes -= request.bytes();
        boolean isAwaited = request.answer();
        if (!isAwaited) {
            unanswered--;
        }
        return isAwaited;
    }

    /**
     * The request was passed on, and takes no memory here any more.
     *
     * @param onCancel runs when it is cancelled
     * @return false when it is cancelled already
     */
    boolean passedOn(IncomingRequest request, Runnable onCancel) {
        lock.lock();
        try {
            if (requests.get(request.id()) == request) {
                requestBytes -= request.takeBytes();
            }
            return request.keepOnCancel(onCancel);
        } finally {
            lock.unlock();
        }
    }

    /** An accepted request is being answered, and its handler goes on. Returns false when nobody waits for that. */
    boolean answeredEarly(IncomingRequest request) {
        lock.lock();
        try {
            return goingOn.contains(request) && request.answer();
        } finally {
            lock.unlock();
        }
    }

    /** The peer can cancel the request no more. Returns false when that was done, or nobody waits for an answer. */
    boolean accept(IncomingRequest request) {
        lock.lock();
        try {
            if (request.isCancelled() || !requests.remove(request.id(), request)) {
                return false;
            }
            goingOn.add(request);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * The request will not be answered: its handler continues without the connection, or the connection cannot go on.
     */
    void release(IncomingRequest request) {
        if (handled(request)) {
            answerQueued();
        }
    }

    /** An answer begins or ends to wait for room in the outbox: so long its request counts as in flight. */
    void addStuck(int answers, long bytes) {
        lock.lock();
        try {
            stuckAnswers += answers;
            stuckBytes += bytes;
        } finally {
            lock.unlock();
        }
    }

    void answerQueued() {
        lock.lock();
        try {
            unanswered--;
        } finally {
            lock.unlock();
        }
    }

    void cancel(RequestId id) {
        Runnable action;
        lock.lock();
        try {
            IncomingRequest request = requests.get(id);
            action = request == null ? null : request.cancel();
        } finally {
            lock.unlock();
        }
        if (action != null) {
            action.run();
        }
    }

    /** Cancels all requests of the peer, those included that wait in their lanes. */
    void cancelRequests() {
        List<Runnable> actions;
        lock.lock();
        try {
            actions = cancelAll();
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    @GuardedBy("lock")
    private List<Runnable> cancelAll() {
        List<Runnable> actions = new ArrayList<>();
        requests.values().forEach(request -> cancel(request, actions));
        goingOn.forEach(request -> cancel(request, actions));
        return actions;
    }

    private static void cancel(IncomingRequest request, List<Runnable> actions) {
        Runnable action = request.cancel();
        if (action != null) {
            actions.add(action);
        }
    }

    // ---- lanes: one for each session that has work, and one for what belongs to none

    /**
     * The items of one session, or of the connection, in the order of the wire, and the one that runs. Guarded by the
     * lock.
     */
    @SuppressWarnings("GuardedBy") // Every caller holds the lock.
    final class Lane {
        final Object key;
        private final ArrayDeque<Work.InLane> waiting = new ArrayDeque<>();
        private long bytes;
        private int waitingRequests;

        /** The steps that wait here. */
        private final List<Step> placed = new ArrayList<>(1);

        /** What runs now; null between items and when the lane is idle. */
        Work.@Nullable InLane running;

        /** Whether a thread works on this lane, or is about to. */
        private boolean hasThread;

        /** That thread, once it does. */
        private @Nullable Thread thread;

        private Lane(Object key) {
            this.key = key;
        }

        /** Puts an item behind the others. Returns true when the lane needs a thread. */
        private boolean add(Work.InLane item) {
            waiting.add(item);
            bytes += item.bytes;
            waitingBytes += item.bytes;
            Step step = item.step();
            if (step != null && step.progress.compareTo(Step.Progress.PLACED) <= 0) {
                step.progress = Step.Progress.PLACED;
                step.placedIn = this;
                placed.add(step);
                step.wake();
            }
            if (item.kind == Work.InLane.Kind.REQUEST) {
                waitingRequests++;
            }
            if (running != null && item.kind == Work.InLane.Kind.REQUEST) {
                running.waitingFor.forEach(Step::wake);
            }
            boolean needsThread = !hasThread;
            hasThread = true;
            return needsThread;
        }

        /** Ends what ran and takes what the current thread runs next; null when the lane is idle. */
        private Work.@Nullable InLane next() {
            if (running != null) {
                running.end();
                running = null;
                // What interrupted that handler must not disturb the next.
                boolean unused = Thread.interrupted();
            }
            Work.InLane item = waiting.peek();
            if (item == null) {
                hasThread = false;
                return null;
            }
            take(item);
            running = item;
            thread = Thread.currentThread();
            item.runsIn = this;
            return item;
        }

        /** Takes an item out, wherever it stands. */
        void take(Work.InLane item) {
            waiting.remove(item);
            bytes -= item.bytes;
            waitingBytes -= item.bytes;
            if (item.kind == Work.InLane.Kind.REQUEST) {
                waitingRequests--;
            }
            Step step = item.step();
            if (step != null && placed.remove(step) && step.placedIn == this) {
                step.placedIn = null;
            }
            room.signalAll();
        }

        boolean hasRequests() {
            return waitingRequests > 0;
        }

        /** Takes the first request that waits. */
        Work.InLane takeRequest() {
            for (Work.InLane item : waiting) {
                if (item.kind == Work.InLane.Kind.REQUEST) {
                    take(item);
                    return item;
                }
            }
            throw new AssertionError("no request in the lane");
        }

        /** Takes the answers that are passed on. */
        List<Work.InLane> takeRelayed() {
            List<Work.InLane> answers = new ArrayList<>();
            for (Work.InLane item : List.copyOf(waiting)) {
                if (item.step() instanceof Call call && call.isRelayed) {
                    take(item);
                    answers.add(item);
                }
            }
            return answers;
        }

        /** Returns what ends a step that waits here. */
        Work.InLane itemOf(Step step) {
            for (Work.InLane item : waiting) {
                if (item.step() == step) {
                    return item;
                }
            }
            throw new AssertionError("no such step in the lane");
        }

        boolean hasNotificationBefore(Work.InLane item) {
            for (Work.InLane earlier : waiting) {
                if (earlier == item) {
                    return false;
                }
                if (earlier.kind == Work.InLane.Kind.NOTIFICATION) {
                    return true;
                }
            }
            return false;
        }

        /** Wakes the threads that wait for steps in this lane. */
        void wakeSteps() {
            placed.forEach(Step::wake);
        }

        /** Whether nothing waits or runs here, so that a step need not wait. */
        private boolean isIdle() {
            // A step lets its threads go on a moment before its lane notices that it is done.
            Step step = running == null ? null : running.step();
            return waiting.isEmpty() && step != null && step.progress == Step.Progress.DONE;
        }

        private void interrupt() {
            if (running != null && thread != null) {
                thread.interrupt();
            }
        }

        private void discardMessages() {
            // Once around, without memory for a copy.
            for (int left = waiting.size(); left > 0; left--) {
                Work.InLane item = waiting.removeFirst();
                if (item.isMessage()) {
                    bytes -= item.bytes;
                    waitingBytes -= item.bytes;
                    waitingRequests -= item.kind == Work.InLane.Kind.REQUEST ? 1 : 0;
                    item.discarded();
                } else {
                    waiting.addLast(item);
                }
            }
        }

        /** Drops what waits. Returns the steps among it. */
        private List<Step> clear() {
            List<Step> left = List.copyOf(placed);
            while (!waiting.isEmpty()) {
                Work.InLane item = waiting.getFirst();
                take(item);
                item.dropped();
            }
            return left;
        }
    }

    @GuardedBy("lock")
    private final Map<Object, Lane> busy = new HashMap<>();

    /** How much memory takes what waits in all lanes. */
    @GuardedBy("lock")
    private long waitingBytes;

    /** What threads wait for; one that several wait for stands here several times. */
    @GuardedBy("lock")
    private final List<Step> awaited = new ArrayList<>();

    // What the reading thread waits for: room for an item in a lane, or in a backlog.

    @GuardedBy("lock")
    private Work.@Nullable InLane readersItem;

    @GuardedBy("lock")
    private Object readersLane = ALL_LANES;

    @GuardedBy("lock")
    private Connection.@Nullable Backlog readersBacklog;

    @GuardedBy("lock")
    private long readerWaitsSince;

    /** Whether memory has run out: messages are discarded. */
    @GuardedBy("lock")
    private boolean exhausted;

    /**
     * Puts an item behind the others of its lane, waiting for room when the reader asks for it. After the end only
     * steps and reports are taken.
     *
     * @return the lane when it needs a thread, else null
     */
    @Nullable
    Lane enqueue(Object key, Work.InLane item) throws InterruptedException {
        lock.lock();
        try {
            awaitRoom(key, item);
            if (phase == Phase.CLOSED && item.isMessage()) {
                // The reader may have waited here with it. Nobody would end its handler any more.
                return null;
            }
            if (exhausted && item.isMessage()) {
                item.discarded();
                return null;
            }
            Lane lane = busy.get(key);
            if (lane == null) {
                lane = new Lane(key);
                busy.put(key, lane);
            }
            return lane.add(item) ? lane : null;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitRoom(Object key, Work.InLane item) throws InterruptedException {
        if (item.bytes == 0) {
            return;
        }
        try {
            while (fullFor(key, item) != null) {
                if (readersItem == null) {
                    readersItem = item;
                    readersLane = key;
                    beginReadersWait();
                }
                room.await();
            }
        } finally {
            if (readersItem == item) {
                readersItem = null;
            }
        }
    }

    /** Returns what has no room for the item, or null. */
    @GuardedBy("lock")
    private @Nullable Object fullFor(Object key, Work.InLane item) {
        if (phase == Phase.CLOSED || exhausted) {
            return null;
        }
        int factor = awaited.isEmpty() ? 1 : WAITING_FACTOR;
        Lane lane = busy.get(key);
        if (lane == null) {
            // Each lane takes a thread.
            if (item.isMessage() && busy.size() >= factor * limits.incomingRequests()) {
                return ALL_LANES;
            }
        } else if (lane.bytes > 0 && lane.bytes + item.bytes > factor * limits.laneBytes()) {
            return lane;
        }
        return fitsBesideAll(item.bytes) ? null : ALL_LANES;
    }

    @GuardedBy("lock")
    private boolean fitsBesideAll(long bytes) {
        return waitingBytes == 0 || waitingBytes + bytes <= WAITING_FACTOR * limits.laneBytes();
    }

    @GuardedBy("lock")
    private void beginReadersWait() {
        readerWaitsSince = time.nanoTime();
        // A handler that keeps the room must not wait for what cannot be read.
        awaited.forEach(Step::wake);
    }

    /** Returns the lane or backlog that has no room for what was read, {@link #ALL_LANES}, or null. */
    @GuardedBy("lock")
    private @Nullable Object blocksReader() {
        if (readersItem != null) {
            return fullFor(readersLane, readersItem);
        }
        return readersBacklog != null && isOver(readersBacklog) ? readersBacklog : null;
    }

    /**
     * Marks what ran in the lane as done and takes what comes next; null when the lane is idle, and is then forgotten.
     */
    Work.@Nullable InLane next(Lane lane) {
        lock.lock();
        try {
            Work.InLane item = lane.next();
            if (item == null) {
                busy.remove(lane.key);
                room.signalAll();
            }
            return item;
        } finally {
            lock.unlock();
        }
    }

    /** Whether nothing waits or runs in the lane, so that a message may pass it by. */
    boolean isIdle(Object key) {
        lock.lock();
        try {
            Lane lane = busy.get(key);
            return lane == null || lane.isIdle();
        } finally {
            lock.unlock();
        }
    }

    /** Whether an answer that is passed on may pass the lane by: it is idle, or what runs there waits for others. */
    boolean mayPass(Object key) {
        lock.lock();
        try {
            Lane lane = busy.get(key);
            return lane == null || lane.isIdle() || (lane.running != null && lane.running.letsAnswersPass());
        } finally {
            lock.unlock();
        }
    }

    /** Waits until every message has passed the interceptors, the connection has ended, or the time is over. */
    void awaitIntake(Duration most) {
        long deadline = time.nanoTime() + Limits.nanos(most);
        lock.lock();
        try {
            while (phase != Phase.CLOSED && !exhausted && busy.containsKey(INTAKE)) {
                long left = deadline - time.nanoTime();
                if (left <= 0) {
                    return;
                }
                time.await(lock, room, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Interrupts all handlers, of requests and of what runs in lanes. */
    void interruptHandlers() {
        List<Runnable> actions;
        lock.lock();
        try {
            actions = cancelAll();
            busy.values().forEach(Lane::interrupt);
        } finally {
            lock.unlock();
        }
        actions.forEach(Runnable::run);
    }

    /** Discards the messages that wait, requests included, to free their memory: the connection cannot go on. */
    void discardMessages() {
        lock.lock();
        try {
            exhausted = true;
            for (Lane lane : busy.values()) {
                lane.discardMessages();
            }
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Drops what still waits in lanes, and interrupts what has come to run there since the others were. Returns the
     * steps that were dropped: threads wait for them.
     */
    List<Step> close() {
        List<Step> left = new ArrayList<>();
        lock.lock();
        try {
            phase = Phase.CLOSED;
            for (Lane lane : busy.values()) {
                lane.interrupt();
                left.addAll(lane.clear());
            }
            room.signalAll();
            return left;
        } finally {
            lock.unlock();
        }
    }

    // ---- waiting, see Waiting

    @GuardedBy("lock")
    void beginWaiting(Step step) {
        awaited.add(step);
        if (step.changed == null) {
            step.changed = lock.newCondition();
        }
        room.signalAll();
    }

    @GuardedBy("lock")
    void endWaiting(Step step) {
        awaited.remove(step);
    }

    /**
     * Returns from when on a wait for something that was not read cannot succeed: at once when the reading thread waits
     * for memory that the waiting thread keeps, after {@link Limits#barrierPatience()} when it waits for others.
     * {@link Long#MAX_VALUE} when reading goes on.
     *
     * @param item what the thread works for, if that is an item of a lane
     */
    @GuardedBy("lock")
    long deadlockedFrom(Work.@Nullable InLane item) {
        Object full = blocksReader();
        if (full == null) {
            return Long.MAX_VALUE;
        }
        if (full instanceof Connection.Backlog backlog && backlog.consumer == Thread.currentThread()) {
            return readerWaitsSince;
        }
        Lane lane = item == null || item.isDone() ? null : item.runsIn;
        if (lane != null && full == lane && !lane.hasRequests()) {
            return readerWaitsSince;
        }
        return readerWaitsSince + Limits.nanos(limits.barrierPatience());
    }

    /** Whether reading waits for room here. */
    boolean isReaderWaiting() {
        lock.lock();
        try {
            return blocksReader() != null;
        } finally {
            lock.unlock();
        }
    }

    /** Whether reading has waited for long, perhaps for the very thread that waits here for room in the outbox. */
    boolean isDeadlocked() {
        lock.lock();
        try {
            return blocksReader() != null
                    && time.nanoTime() - readerWaitsSince >= Limits.nanos(limits.barrierPatience());
        } finally {
            lock.unlock();
        }
    }

    // ---- backlogs

    boolean add(Connection.Backlog backlog, long bytes) {
        lock.lock();
        try {
            backlog.bytes += bytes;
            return fits(backlog);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean fits(Connection.Backlog backlog) {
        // What nobody takes must not keep the reading thread, whatever threads wait for.
        int factor = backlog.consumer == null || awaited.isEmpty() ? 1 : WAITING_FACTOR;
        return backlog.bytes <= factor * limits.laneBytes();
    }

    void remove(Connection.Backlog backlog, long bytes) {
        lock.lock();
        try {
            backlog.bytes -= bytes;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the backlog has come back to its bound. */
    void awaitRoom(Connection.Backlog backlog) throws InterruptedException {
        lock.lock();
        try {
            awaitFit(backlog);
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void awaitFit(Connection.Backlog backlog) throws InterruptedException {
        try {
            while (isOver(backlog)) {
                if (readersBacklog == null) {
                    readersBacklog = backlog;
                    beginReadersWait();
                }
                room.await();
            }
        } finally {
            readersBacklog = null;
        }
    }

    @GuardedBy("lock")
    private boolean isOver(Connection.Backlog backlog) {
        return phase != Phase.CLOSED && !exhausted && backlog.consumer != null && !fits(backlog);
    }

    void consumedBy(Connection.Backlog backlog, @Nullable Thread thread) {
        lock.lock();
        try {
            backlog.consumer = thread;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }
}
