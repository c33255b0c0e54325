package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
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
 * circle would do so for ever, so one of them gets room beyond the bound; see {@link Crowding}.
 */
public final class Link {
    /** Finds what intercepts a message. Called on the thread that reads, for each message, in their order. */
    public interface Interception {
        /** Nothing is intercepted. */
        Interception NONE = new Interception() {};

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
    public static Handler handler(End own) {
        return new Ends(own, null, "");
    }

    /**
     * Returns the handler of a connection with two channels: it binds the ends to the connection.
     *
     * @param own takes the messages of the connection itself
     * @param inEnvelopes takes those in envelopes
     * @param envelope the method of the envelopes that are sent
     */
    public static Handler handler(End own, End inEnvelopes, String envelope) {
        return new Ends(own, inEnvelopes, envelope);
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

    private record Ends(End own, @Nullable End inEnvelopes, String envelope) implements Handler {
        @Override
        public void bound(Connection connection) {
            own.bind(new Channel(connection, null));
            if (inEnvelopes != null) {
                inEnvelopes.bind(new Channel(connection, envelope));
            }
        }

        private End of(Message message) {
            return message.isInEnvelope() ? Objects.requireNonNull(inEnvelopes) : own;
        }

        @Override
        public @Nullable Acceptance request(IncomingRequest request) throws InterruptedException {
            return of(Objects.requireNonNull(request.message())).request(request);
        }

        @Override
        public @Nullable Delivery notification(Message message) throws InterruptedException {
            return of(message).notification(message);
        }
    }

    /** One end: the place where the messages of a channel come in, and where those of the other end go out. */
    public static final class End {
        private final Link link;
        private final String name;
        private @Nullable End other;
        private volatile @Nullable Channel channel;

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

        /** Binds the end to a channel, the first or another one. */
        public void bind(Channel value) {
            channel = value;
        }

        Connection connection() {
            return channel().connection();
        }

        // ---- what comes in here

        Handler.@Nullable Delivery notification(Message message) throws InterruptedException {
            if (message.method().equals(Message.CANCEL_REQUEST)) {
                // Its id means nothing at the other end, where a request of that end is cancelled.
                return null;
            }
            End to = other();
            NotificationInterceptor interceptor = link.interception.notification(message, this);
            if (interceptor != null) {
                return () -> interceptor.intercept(message, to);
            }
            if (!connection().state.isIdle(message.lane())) {
                return () -> forward(message);
            }
            forward(message);
            return null;
        }

        Handler.@Nullable Acceptance request(IncomingRequest request) throws InterruptedException {
            Message message = Objects.requireNonNull(request.message());
            RequestInterceptor interceptor = link.interception.request(message, this);
            if (interceptor != null) {
                new Exchange(this, request, message, interceptor).enter();
                return null;
            }
            if (connection().state.isIdle(message.lane())) {
                forward(request, message);
                return null;
            }
            return () -> {
                forward(request, message);
                return null;
            };
        }

        /** Passes a notification on to the other end. */
        private void forward(Message notification) throws InterruptedException {
            Channel to = other().channel();
            to.connection().put(to.outgoing(notification), connection());
        }

        /** Passes a request on to the other end. */
        private void forward(IncomingRequest request, Message message) throws InterruptedException {
            Connection origin = connection();
            RawJson unused = request.takeParams();
            try {
                Channel to = other().channel();
                if (request.isCancelled()) {
                    throw RpcError.cancelled();
                }
                Call call = to.outgoing(message, answered -> () -> back(request, answered));
                to.connection().send(call, origin);
                origin.state.passedOn(request);
                // Not before: the cancellation would overtake the request.
                request.onCancel(call::cancel);
            } catch (RpcException | IllegalStateException | IllegalArgumentException e) {
                origin.answer(request, Message.error(request.id(), lost(message.method(), e)), origin);
            }
        }

        /** The answer has come to the other end, or will not come: goes back when its place has come. */
        private void back(IncomingRequest request, Call call) throws InterruptedException {
            Message answer = call.answer()
                    .map(came -> came.forwarded(request.id(), null))
                    .orElseGet(() ->
                            Message.error(request.id(), lost(call.method(), Objects.requireNonNull(call.failure()))));
            connection().answer(request, answer, call.connection);
        }

        // ---- what goes out here

        /**
         * Sends a notification of the other end, or another in its place, waiting for room.
         *
         * @throws ConnectionClosedException when the connection takes no more messages
         */
        public void pass(Message notification) throws InterruptedException {
            connection().put(channel().outgoing(notification), other().connection());
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
