package dev.acp4j.rpc;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A request that is intercepted on its way over a {@link Link}. The interceptor has a thread of its own, and its lane
 * waits for it: first the lane in which the request came, until it was passed on, answered or refused; then the lane of
 * each answer that came back to it. What lanes wait with is a {@link Hold}.
 *
 * <p>All methods but {@link #giveUp} are for the thread of the interceptor.
 */
public final class Exchange {
    private Link.End from;
    private final Connection origin;
    private final IncomingRequest incoming;
    private final Link.RequestInterceptor interceptor;
    private final Message request;

    /** What is done when the answer is on its way. */
    private final List<Consumer<Message>> afterwards = new ArrayList<>(0);

    /** What a lane waits with while the interceptor works. */
    private Hold hold;

    /** Guards what other threads see of the waiting for an answer. */
    private final ReentrantLock lock = new ReentrantLock();

    /** Whether the request is passed on, and the answer has not come. */
    @GuardedBy("lock")
    private boolean isForwarding;

    /** Gives up what is waited for, if it is still waited for; null before it was sent. */
    @GuardedBy("lock")
    private @Nullable Predicate<RpcError> forwarded;

    /** The error for which the waiting was given up before the request was sent. */
    @GuardedBy("lock")
    private @Nullable RpcError givenUp;

    Exchange(
            Link.End from,
            Connection origin,
            IncomingRequest incoming,
            Message request,
            Link.RequestInterceptor interceptor) {
        this.from = from;
        this.origin = origin;
        this.incoming = incoming;
        this.request = request;
        this.interceptor = interceptor;
        this.hold = new Hold(origin, request.length(), this::begin, () -> origin.state.release(incoming));
    }

    /** Puts the exchange into its lane. For the thread that reads. */
    void enter() throws InterruptedException {
        RawJson unused = incoming.takeParams();
        origin.dispatcher.enqueue(request.lane(), hold);
    }

    /** Returns the request as it came. */
    public Message request() {
        return request;
    }

    /** Returns the end at which the request came in. */
    public Link.End from() {
        return from;
    }

    /** Returns the end at which it goes out. */
    public Link.End to() {
        return from.other();
    }

    /**
     * Says that the request belongs to another link that has an end at the same connection: it goes out at the other
     * end of that one.
     *
     * @param end the end of that link at which the request counts as having come in
     */
    public void enterAt(Link.End end) {
        from = end;
    }

    /** Returns whether the request was cancelled, or the connection that it came from has ended. */
    public boolean isCancelled() {
        return incoming.isCancelled();
    }

    /**
     * From now on a cancellation of the request neither interrupts the interceptor nor goes to where it went; the end
     * of the connection still does.
     *
     * @return false when the request was cancelled before
     */
    public boolean ignoreCancellation() {
        return incoming.accept();
    }

    /**
     * Lets the messages behind the request pass, if they still wait for it: when it will be answered here, and that
     * takes a while.
     */
    public void letOthersPass() {
        hold.release();
    }

    /**
     * Passes the request on and waits for the answer. A cancellation goes to where the request went, and the answer is
     * waited for still. May be called again, for another answer.
     *
     * @param params the params
     * @return the answer, a result or an error
     * @throws RpcError when the request could not be passed on, or its answer will not come; or was cancelled before
     * @throws InterruptedException when interrupted before it was passed on
     */
    public Message forward(@Nullable RawJson params) throws InterruptedException {
        return forward(request.method(), params);
    }

    /** Passes the request on under another method; see {@link #forward(RawJson)}. */
    public Message forward(String method, @Nullable RawJson params) throws InterruptedException {
        return forward(method, params, null);
    }

    /**
     * Passes the request on in an envelope with metadata; see {@link #forward(RawJson)}.
     *
     * @param meta an object; without effect when what goes out there is in no envelope
     */
    public Message forward(String method, @Nullable RawJson params, @Nullable RawJson meta)
            throws InterruptedException {
        if (incoming.isCancelled()) {
            throw RpcError.cancelled();
        }
        Channel to = to().awaitChannel();
        Connection target = to.connection();
        forwarding(true);
        Hold next = new Hold(target, 0, () -> {}, () -> {});
        Call call;
        try {
            call = to.outgoing(method, params, meta, next);
            target.send(call, origin);
            incoming.onCancel(call::cancel);
        } catch (RpcException | IllegalStateException | IllegalArgumentException e) {
            next.release();
            forwarding(false);
            throw from.lost(request.method(), e);
        }
        // What is behind the request goes on; what is behind the answer waits from the moment in which it is read.
        Hold before = hold;
        before.release();
        hold = next;
        sent(error -> {
            boolean isWaiting = next.giveUp(error);
            if (isWaiting) {
                call.abandon();
            }
            return isWaiting;
        });
        RpcError given = next.await();
        forwarding(false);
        next.begin();
        before.end();
        if (given != null) {
            throw given;
        }
        return call.answer().orElseThrow(() -> from.lost(request.method(), Objects.requireNonNull(call.failure())));
    }

    /**
     * Waits no longer for the answer: {@link #forward(RawJson) forward} throws an error in its place. Where the request
     * went, it is cancelled, and an answer that comes still is dropped. From any thread.
     *
     * @return false when no answer is waited for
     */
    public boolean giveUp(RpcError error) {
        Predicate<RpcError> waiting;
        lock.lock();
        try {
            waiting = forwarded;
            if (!isForwarding || givenUp != null) {
                return false;
            }
            if (waiting == null) {
                givenUp = error;
                return true;
            }
        } finally {
            lock.unlock();
        }
        return waiting.test(error);
    }

    private void forwarding(boolean value) {
        lock.lock();
        try {
            isForwarding = value;
            forwarded = null;
            givenUp = null;
        } finally {
            lock.unlock();
        }
    }

    private void sent(Predicate<RpcError> waiting) {
        RpcError early;
        lock.lock();
        try {
            forwarded = waiting;
            early = givenUp;
        } finally {
            lock.unlock();
        }
        if (early != null) {
            boolean unused = waiting.test(early);
        }
    }

    /**
     * Does something when the answer is on its way to where the request came from, before what is behind the answer in
     * its lane goes on: for what has its place after the answer. Not when the answer cannot be sent.
     */
    public void afterAnswer(Consumer<Message> action) {
        afterwards.add(action);
    }

    /** Runs in the lane. */
    private void begin() {
        origin.machine.runHandlers(origin.name(), this::run);
    }

    private void run() {
        Thread.currentThread().setName(origin.name() + "-" + request.method());
        hold.begin();
        origin.state.handledBy(incoming, Thread.currentThread());
        Message answer;
        try {
            if (incoming.isCancelled()) {
                interceptor.cancelled();
                throw RpcError.cancelled();
            }
            Message given = interceptor.intercept(this);
            if (!given.kind().isResponse()) {
                throw new IllegalStateException("a result or an error was expected, not " + given.kind());
            }
            answer = given.forwarded(incoming.id(), null);
        } catch (Throwable e) {
            answer = Message.error(incoming.id(), errorFor(e));
        }
        boolean unused = Thread.interrupted();
        try {
            from.answer(origin, incoming, answer, origin);
            for (Consumer<Message> action : afterwards) {
                run(action, answer);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Throwable e) {
            origin.fail(e);
        } finally {
            hold.release();
            hold.end();
        }
    }

    private void run(Consumer<Message> action, Message answer) {
        try {
            action.accept(answer);
        } catch (RuntimeException e) {
            origin.dispatcher.problem(
                    Problem.Kind.INTERCEPTOR_FAILED, request.method() + ": an interceptor failed: " + e, e);
        }
    }

    private RpcError errorFor(Throwable e) {
        RpcError answer = RpcError.answerOf(e);
        if (answer != null) {
            return answer;
        }
        if (incoming.isCancelled()) {
            return RpcError.cancelled();
        }
        origin.dispatcher.problem(
                Problem.Kind.INTERCEPTOR_FAILED, request.method() + ": an interceptor failed: " + e, e);
        return RpcError.internal();
    }

    /** An item of a lane that stays until it is released: so long, what is behind it waits. */
    @SuppressWarnings("ReferenceEquality") // An item of a lane is what it is.
    static final class Hold extends Work.InLane implements Call.Listener {
        private final Connection connection;
        private final Runnable onGranted;
        private final Runnable onDropped;
        private final ReentrantLock lock;
        private final Condition changed;

        // Guarded by the lock, which is that of the state.
        private boolean granted;
        private boolean released;

        /** What ends the waiting in the place of an answer. */
        private @Nullable RpcError given;

        /** How many threads of the interceptor wait for a peer. */
        private int passing;

        Hold(Connection connection, int bytes, Runnable onGranted, Runnable onDropped) {
            // What brings an answer must not wait for room: perhaps that comes with the answer.
            super(connection.state, Kind.STEP, bytes);
            this.connection = connection;
            this.onGranted = onGranted;
            this.onDropped = onDropped;
            this.lock = connection.state.lock;
            this.changed = lock.newCondition();
        }

        /** The answer has come: it takes its place in the lane of its session, with this. */
        @Override
        public Handler.@Nullable Delivery arrived(Call call) throws InterruptedException {
            Message answer = call.answer().orElse(null);
            String session = answer == null || answer.session().isEmpty() ? call.lane : answer.session();
            try {
                connection.dispatcher.enqueue(Message.lane(session, call.inEnvelope), this);
            } catch (InterruptedException e) {
                grant();
                throw e;
            }
            return null;
        }

        @Override
        @Nullable
        Runnable run() {
            grant();
            onGranted.run();
            lock.lock();
            try {
                while (!released) {
                    changed.await();
                }
            } catch (InterruptedException e) {
                // The connection ends, and what is behind this is let go.
            } finally {
                lock.unlock();
            }
            return null;
        }

        private void grant() {
            lock.lock();
            try {
                granted = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /** The lane is gone. */
        @Override
        @SuppressWarnings("GuardedBy") // The caller holds the lock.
        void dropped() {
            granted = true;
            changed.signalAll();
            onDropped.run();
        }

        @Override
        @SuppressWarnings("GuardedBy") // The caller holds the lock.
        boolean letsAnswersPass() {
            return passing > 0;
        }

        /**
         * The interceptor waits for a peer, and that perhaps for an answer that stands behind this: answers pass until
         * {@link #endPassing}.
         */
        void beginPassing() {
            List<Work.InLane> answers;
            lock.lock();
            try {
                passing++;
                answers = runsIn == null || runsIn.running != this ? List.of() : runsIn.takeRelayed();
            } finally {
                lock.unlock();
            }
            for (Work.InLane answer : answers) {
                connection.dispatcher.runBeside(answer.run());
            }
        }

        void endPassing() {
            lock.lock();
            try {
                passing--;
            } finally {
                lock.unlock();
            }
        }

        /** Waits until the lane has come to this, whatever interrupts; returns the error if that was given up. */
        @Nullable
        RpcError await() {
            RpcError end;
            lock.lock();
            try {
                while (!granted && given == null) {
                    changed.awaitUninterruptibly();
                }
                end = given;
            } finally {
                lock.unlock();
            }
            // Who interrupted this wait has cancelled what was waited for.
            boolean unused = Thread.interrupted();
            return end;
        }

        /** Ends the waiting; returns false when the lane has come to this before. */
        boolean giveUp(RpcError error) {
            lock.lock();
            try {
                if (granted || given != null) {
                    return false;
                }
                given = error;
                changed.signalAll();
                return true;
            } finally {
                lock.unlock();
            }
        }

        void release() {
            lock.lock();
            try {
                released = true;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
