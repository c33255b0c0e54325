package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Joins two channels: what comes in at one goes out at the other, in the order of the wire and untouched but for ids
 * and envelopes. Neither params nor results nor errors are decoded, and a message that is not intercepted is passed on
 * by the thread that read it. {@code $/cancel_request} is not passed on: the other side is asked to cancel the request
 * that went there.
 *
 * <p>What is intercepted waits in the lane of its session, and what is behind it in this direction waits for it: until
 * a request has gone on, was answered or refused, and again from its answer until the interceptor returns.
 *
 * <p>A reading thread waits for room at the other side, which slows its peer. Threads that wait for each other in a
 * circle would do so for ever, so some get room beyond the bound, and what is outside waits meanwhile; see
 * {@link Ends#between}.
 */
public final class Link {
    /** Finds what intercepts a message. Called on the thread that reads, for each message, in their order. */
    public interface Interception {
        /** Nothing is intercepted. */
        Interception NONE = new Interception() {};

        /**
         * Returns the result of a request that is answered at once, whatever its lane waits for; null to handle it like
         * others. For what asks whether anybody is there.
         *
         * @param from where it came in
         */
        default @Nullable RawJson answer(Message message, End from) {
            return null;
        }

        /**
         * Returns what intercepts a request; null to pass it on untouched.
         *
         * @param from where it came in
         */
        default @Nullable RequestInterceptor request(Message message, End from) {
            return null;
        }

        /** Returns what intercepts a notification; null to pass it on untouched. */
        default @Nullable NotificationInterceptor notification(Message message, End from) {
            return null;
        }

        /**
         * A notification is about to go out, as it came or as interceptors have changed it. On the thread that sends
         * it; must not block.
         *
         * @param to where it goes out
         */
        default void passing(Message notification, End to) {}

        /**
         * The answer to a request that was passed on untouched is about to go back. On the thread that sends it; must
         * not block.
         *
         * @param method the method of the request
         * @param answer the answer, under the id of the request
         * @param to where it goes out
         */
        default void answered(String method, Message answer, End to) {}

        /**
         * A request is about to be answered, as the answer came or as interceptors have changed it. On the thread that
         * sends it; must not block.
         *
         * @param to the end at which the request came in
         */
        default void answering(IncomingRequest request, Message answer, End to) {}

        /**
         * The cancellation of a request has come in. It is not passed on; what went out for the request is cancelled
         * itself. On the thread that reads; must not block.
         */
        default void cancelling(Message notification, End from) {}

        /**
         * Returns what answers a request that could not be passed on, or whose answer will not come.
         *
         * @param at the end where it was to be answered
         * @param why what happened there
         */
        default RpcError lost(String method, End at, RuntimeException why) {
            return new RpcError(
                    RpcError.INTERNAL_ERROR,
                    method + " was not answered: "
                            + (why instanceof RpcException ? "the next component has ended" : why.getMessage()));
        }
    }

    /** Handles a request on its way. */
    @FunctionalInterface
    public interface RequestInterceptor {
        /**
         * Handles it, on a thread of its own, which is interrupted when the request is cancelled.
         *
         * @return the answer: one that came back, or a {@link Message#result}, under whatever id
         * @throws Exception to refuse the request: an {@link RpcError} as it is, anything else as internal error
         */
        Message intercept(Exchange exchange) throws Exception;

        /** The request was cancelled before its turn came, so it is not intercepted. */
        default void cancelled() {}
    }

    /** Handles a notification on its way. */
    @FunctionalInterface
    public interface NotificationInterceptor {
        /**
         * Handles it, in its lane. What is not {@linkplain End#pass passed on} is dropped.
         *
         * @param to where it would go out
         * @throws Exception is reported; what was not passed on by then is dropped
         */
        void intercept(Message message, End to) throws Exception;
    }

    private final Interception interception;
    private final End left;
    private final End right;

    /** Creates a link whose ends are not bound yet. */
    public Link(Interception interception) {
        this.interception = interception;
        this.left = new End(this, "left");
        this.right = new End(this, "right");
        left.other = right;
        right.other = left;
    }

    /** Returns one end. */
    public End left() {
        return left;
    }

    /** Returns the other end. */
    public End right() {
        return right;
    }

    /** Returns the handler of a connection with one channel: it binds the end to the connection. */
    public static Ends handler(End own) {
        return new Ends(own, null, "", true);
    }

    /**
     * Returns the handler of a connection with two channels: it binds the ends to the connection.
     *
     * @param own takes the messages of the connection itself
     * @param inEnvelopes takes those in envelopes
     * @param envelope the method of the envelopes that are sent
     */
    public static Ends handler(End own, End inEnvelopes, String envelope) {
        return new Ends(own, inEnvelopes, envelope, true);
    }

    /** Returns the same for a connection that takes the place of another: only {@link Ends#bind} binds the ends. */
    public static Ends replacement(End own, @Nullable End inEnvelopes, String envelope) {
        return new Ends(own, inEnvelopes, envelope, false);
    }

    /** Starts connections together: none reads before all are bound. */
    public static List<Connection> start(Connection.Builder... builders) {
        List<Connection> connections = new ArrayList<>(builders.length);
        for (Connection.Builder builder : builders) {
            connections.add(builder.create());
        }
        connections.forEach(Connection::start);
        return connections;
    }

    /** What a connection does with messages: passes those of each channel on from its end of a link. */
    public static final class Ends implements Handler {
        private final End own;
        private final @Nullable End inEnvelopes;
        private final String envelope;
        private final boolean bindsAtOnce;
        private volatile @Nullable Connection connection;
        private volatile boolean isBetween;
        private volatile @Nullable Consumer<Connection> onEnding;

        Ends(End own, @Nullable End inEnvelopes, String envelope, boolean bindsAtOnce) {
            this.own = own;
            this.inEnvelopes = inEnvelopes;
            this.envelope = envelope;
            this.bindsAtOnce = bindsAtOnce;
        }

        /**
         * Says that the peer stands between others, and writes what it has read: it is a component of a chain, and none
         * of its ends. Where such peers wait for each other, each to be read before it reads, what is on its way
         * between them is queued beyond the bounds of their connections, all together up to four times of these; and
         * nothing more is passed on to them from outside, until all have no more than their bounds again. Before the
         * connection starts.
         */
        public Ends between() {
            isBetween = true;
            return this;
        }

        @Override
        public void bound(Connection bound) {
            connection = bound;
            if (isBetween) {
                bound.crowding.isBetween();
            }
            if (bindsAtOnce) {
                bind();
            }
        }

        /** Binds the ends to the connection: from now on it gets what goes out there. */
        public void bind() {
            bind(from());
        }

        /** Binds the ends to a connection that has another handler, which hands its messages on to these ends. */
        public void bind(Connection to) {
            own.bind(new Channel(to, null));
            if (inEnvelopes != null) {
                inEnvelopes.bind(new Channel(to, envelope));
            }
        }

        /** What ends with the connection need not wait until it has been drained. */
        @Override
        public void ending() {
            Consumer<Connection> action = onEnding;
            onEnding = null;
            if (action != null) {
                action.accept(from());
            }
        }

        /**
         * Sets what runs when the connection begins to end, once, before it refuses what is sent: an end that is
         * {@linkplain End#unbind unbound} there loses nothing. On any thread, and not for long.
         */
        public Ends onEnding(Consumer<Connection> action) {
            onEnding = action;
            return this;
        }

        private End of(Message message) {
            return message.isInEnvelope() ? Objects.requireNonNull(inEnvelopes) : own;
        }

        private Connection from() {
            return Objects.requireNonNull(connection);
        }

        @Override
        public @Nullable Acceptance request(IncomingRequest request) throws InterruptedException {
            return request(from(), request);
        }

        /** Takes a request of a connection that has another handler, and is answered there. */
        public @Nullable Acceptance request(Connection of, IncomingRequest request) throws InterruptedException {
            Message message = Objects.requireNonNull(request.message());
            return of(message).request(of, request, message);
        }

        @Override
        public @Nullable Delivery notification(Message message) throws InterruptedException {
            return notification(from(), message);
        }

        /** Takes a notification of a connection that has another handler. */
        public @Nullable Delivery notification(Connection of, Message message) throws InterruptedException {
            return of(message).notification(of, message);
        }
    }

    /** One end: the place where the messages of a channel come in, and where those of the other end go out. */
    public static final class End {
        private final Link link;
        private final String name;
        private @Nullable End other;
        private volatile @Nullable Channel channel;

        private final ReentrantLock lock = new ReentrantLock();
        private final Condition changed = lock.newCondition();

        private End(Link link, String name) {
            this.link = link;
            this.name = name;
        }

        /** Returns the other end. */
        public End other() {
            return Objects.requireNonNull(other);
        }

        /**
         * Returns the channel, to send messages of one's own.
         *
         * @throws IllegalStateException before the end is bound
         */
        public Channel channel() {
            Channel bound = channel;
            if (bound == null) {
                throw new IllegalStateException("the " + name + " end is not connected");
            }
            return bound;
        }

        /** Returns whether the end is bound to a connection that is open. */
        public boolean isOpen() {
            Channel bound = channel;
            return bound != null && bound.connection().isOpen();
        }

        /** Binds the end to a channel, the first or another one. What waited for it goes on. */
        public void bind(Channel value) {
            lock.lock();
            try {
                channel = value;
                changed.signalAll();
            } finally {
                lock.unlock();
            }
        }

        /**
         * Takes the channel away, until another one is bound: what would go out here waits for that, each session for
         * itself. For a component that is being replaced.
         *
         * @param old the connection whose channel is taken away; does nothing when the end has another by now
         */
        public void unbind(Connection old) {
            lock.lock();
            try {
                if (channel != null && channel.connection().equals(old)) {
                    channel = null;
                }
            } finally {
                lock.unlock();
            }
        }

        /**
         * Returns the channel, waiting until the end is bound: while a component is being replaced.
         *
         * @throws InterruptedException when interrupted
         */
        public Channel awaitChannel() throws InterruptedException {
            Channel bound = channel;
            if (bound != null) {
                return bound;
            }
            lock.lock();
            try {
                while ((bound = channel) == null) {
                    changed.await();
                }
                return bound;
            } finally {
                lock.unlock();
            }
        }

        /** Returns the channel if a message may go out at once, with nothing before it; else null. */
        private @Nullable Channel passing(Connection from, Message message) {
            Channel bound = channel;
            return bound != null && from.state.isIdle(message.lane()) ? bound : null;
        }

        // ---- what comes in here

        Handler.@Nullable Delivery notification(Connection from, Message message) throws InterruptedException {
            if (message.method().equals(Message.CANCEL_REQUEST)) {
                // Its id means nothing at the other end, where a request of that end is cancelled.
                link.interception.cancelling(message, this);
                return null;
            }
            End to = other();
            NotificationInterceptor interceptor = link.interception.notification(message, this);
            if (interceptor != null) {
                return () -> interceptor.intercept(message, to);
            }
            Channel passing = to.passing(from, message);
            if (passing == null) {
                return () -> to.forward(from, message, to.awaitChannel());
            }
            to.forward(from, message, passing);
            return null;
        }

        Handler.@Nullable Acceptance request(Connection from, IncomingRequest request, Message message)
                throws InterruptedException {
            RawJson answer = link.interception.answer(message, this);
            if (answer != null) {
                request.answer(answer);
                return null;
            }
            RequestInterceptor interceptor = link.interception.request(message, this);
            if (interceptor != null) {
                new Exchange(this, from, request, message, interceptor).enter();
                return null;
            }
            Channel passing = other().passing(from, message);
            if (passing != null) {
                forward(from, request, message, passing);
                return null;
            }
            return () -> {
                forward(from, request, message, other().awaitChannel());
                return null;
            };
        }

        /** Sends a notification of the other end. */
        private void forward(Connection from, Message notification, Channel to) throws InterruptedException {
            forward(from, notification, to, null);
        }

        private void forward(Connection from, Message notification, Channel to, @Nullable RawJson meta)
                throws InterruptedException {
            link.interception.passing(notification, this);
            Crowding.put(from, to.connection(), to.outgoing(notification, meta));
        }

        /** Passes a request on to the other end. */
        private void forward(Connection origin, IncomingRequest request, Message message, Channel to)
                throws InterruptedException {
            RawJson unused = request.takeParams();
            try {
                if (request.isCancelled()) {
                    throw RpcError.cancelled();
                }
                Call call = to.outgoing(message, answered -> () -> back(origin, request, answered));
                to.connection().send(call, origin);
                // Not before: the cancellation would overtake the request.
                if (!origin.state.passedOn(request, call::cancel)) {
                    call.cancel();
                }
            } catch (RpcException | IllegalStateException | IllegalArgumentException e) {
                answer(origin, request, Message.error(request.id(), lost(message.method(), e)), origin);
            }
        }

        /** The answer has come to the other end, or will not come: goes back when its place has come. */
        private void back(Connection origin, IncomingRequest request, Call call) throws InterruptedException {
            Message answer = call.answer()
                    .map(came -> came.forwarded(request.id(), null))
                    .orElseGet(() ->
                            Message.error(request.id(), lost(call.method(), Objects.requireNonNull(call.failure()))));
            link.interception.answered(request.method(), answer, this);
            answer(origin, request, answer, call.connection);
        }

        /** Answers a request that has come in here. */
        void answer(Connection origin, IncomingRequest request, Message answer, Connection from)
                throws InterruptedException {
            link.interception.answering(request, answer, this);
            origin.answer(request, answer, from);
        }

        // ---- what goes out here

        /**
         * Sends a notification of the other end, or another in its place, waiting for room.
         *
         * @throws ConnectionClosedException when the connection takes no more messages
         */
        public void pass(Message notification) throws InterruptedException {
            pass(notification, null);
        }

        /**
         * Sends the same, in an envelope with metadata.
         *
         * @param meta an object; without effect when what goes out here is in no envelope
         */
        public void pass(Message notification, @Nullable RawJson meta) throws InterruptedException {
            Channel to = awaitChannel();
            forward(other().awaitChannel().connection(), notification, to, meta);
        }

        /** Returns the error of a request that went to the other end and gets no answer from there. */
        RpcError lost(String method, RuntimeException why) {
            return link.interception.lost(method, other(), why);
        }

        @Override
        public String toString() {
            return name;
        }
    }
}
