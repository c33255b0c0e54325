package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * One end of a JSON-RPC 2.0 connection. All methods may be called from any thread, handlers included: blocking in a
 * handler is always allowed.
 *
 * <p>Order: notifications of a lane are handled one after another; a request is handled on a thread of its own,
 * beginning when everything before it in its lane has been handled; an answer reaches its caller after everything
 * before it in its lane has been handled. Messages of one sending thread are written in the order in which it sent
 * them.
 *
 * @see <a href="https://www.jsonrpc.org/specification">JSON-RPC 2.0</a>
 */
public final class Connection implements AutoCloseable {
    /** Passes JSON through as it is: {@link RawJson#CODEC}. */
    public static final Codec<RawJson> RAW = RawJson.CODEC;

    private final String name;
    private final Limits limits;
    private final Names laneMember;
    private final @Nullable ClosedExceptions closedExceptions;
    private final @Nullable UnaryOperator<String> secrets;
    private final Machine machine;
    private final ConnectionState state;
    private final Outbox outbox;
    private final Dispatcher dispatcher;
    private final RecentFrames recentFrames = new RecentFrames();
    private final Measurements measurements;
    private final Inbox inbox;
    private final Ending ending;
    private volatile boolean closedHere;

    private Connection(Builder builder) {
        this.name = "acp4j-".concat(builder.name);
        this.limits = builder.limits;
        this.laneMember = Names.of(builder.laneMember);
        this.closedExceptions = builder.closedExceptions;
        this.secrets = builder.secrets;
        this.machine = Machine.of(builder.time);
        this.state = new ConnectionState(limits, machine);
        this.ending = new Ending(this, builder);
        this.outbox = new Outbox(builder.transport.writer(), recentFrames, limits.outboxBytes(), machine, ending);
        this.dispatcher = new Dispatcher(this, builder.handler, builder.onProblem, builder.answerNoise);
        this.measurements = new Measurements(this, builder.listener, machine);
        this.inbox = new Inbox(builder.transport, this, ending);
    }

    /** Begins a connection over a transport that nobody reads or writes otherwise; it is closed with the connection. */
    public static Builder builder(Transport transport, Handler handler) {
        return new Builder(transport, handler);
    }

    private void start() {
        measurements.began();
        // Not lambdas, nor in the fields of the builder: to link these takes a quarter of an agent's time to start.
        machine.startThread(name + "-writer", outbox);
        machine.startThread(name + "-reader", inbox);
    }

    /**
     * Calls the peer and waits for the answer, for as long as {@link Limits#requestTimeout()} says.
     *
     * @throws InterruptedException when interrupted; the peer is told to cancel
     * @throws RpcException when the peer answers with an error, no answer comes in time, or the connection ends
     */
    public RawJson call(String method, @Nullable RawJson params) throws InterruptedException {
        return start(method, params, RAW, null).await();
    }

    /**
     * Sends a request. Blocks only while the outgoing queue is full.
     *
     * @param params the params, or null for none
     * @param codec writes the params
     * @param whenDone is told once when the answer or failure is there, in the lane of the request, before anything
     *     that the peer sent after the answer is handled; null for nobody
     * @return the call, to wait for its answer or to cancel it
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws ConnectionClosedException when the connection takes no more requests
     * @throws IllegalStateException when too many requests are in flight
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public <P> Call start(String method, @Nullable P params, Codec<P> codec, @Nullable Consumer<Call> whenDone)
            throws InterruptedException {
        RequestId id = state.calls.nextId();
        RawJson frame = checked(method, Frames.request(id, method, params, codec));
        Call call = new Call(this, id, method, Envelope.laneOf(frame, laneMember), whenDone);
        call.begun = measurements.now();
        if (!state.calls.register(call)) {
            throw closed(method);
        }
        try {
            if (!outbox.put(frame)) {
                throw closed(method);
            }
        } catch (InterruptedException | ConnectionClosedException e) {
            state.calls.answered(id);
            throw e;
        }
        return call;
    }

    /**
     * Sends a notification. Blocks only while the outgoing queue is full.
     *
     * @param params the params, or null for none
     * @param codec writes the params
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public <P> void send(String method, @Nullable P params, Codec<P> codec) throws InterruptedException {
        put(method, Frames.notification(method, params, codec));
    }

    /** Queues a whole notification, waiting for room. */
    void put(String method, RawJson frame) throws InterruptedException {
        if (!outbox.put(checked(method, frame))) {
            throw closed(method);
        }
    }

    /**
     * Sends a notification without waiting for room in the outgoing queue: for the few messages that must get out when
     * it is full, such as cancellations. Does nothing when the connection has ended.
     */
    public <P> void sendAtOnce(String method, @Nullable P params, Codec<P> codec) {
        outbox.force(checked(method, Frames.notification(method, params, codec)));
    }

    /** Sends a notification with raw params; see {@link #send(String, Object, Codec)}. */
    public void send(String method, @Nullable RawJson params) throws InterruptedException {
        send(method, params, RAW);
    }

    void cancel(Call call) {
        if (state.calls.markCancelled(call)) {
            outbox.force(Frames.cancel(call.id()));
        }
    }

    /** Asks the peer to cancel, and frees the call's place among those in flight. */
    void giveUp(Call call) {
        cancel(call);
        Call forgotten = state.calls.giveUp(call);
        if (forgotten != null) {
            forgotten.fail(new RequestTimeoutException(forgotten.method(), limits.requestTimeout()));
            dispatcher.answers().handOver(forgotten, forgotten.lane());
        }
    }

    private RawJson checked(String method, RawJson frame) {
        if (frame.length() > limits.messageBytes()) {
            throw new IllegalArgumentException(
                    method + ": message of " + frame.length() + " bytes, allowed are " + limits.messageBytes());
        }
        return frame;
    }

    /** Queues the answer to a request. */
    void answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        RawJson frame = Frames.answer(id, result, error);
        if (frame.length() > limits.messageBytes()) {
            frame = Frames.answer(id, null, new RpcError(RpcError.INTERNAL_ERROR, "The answer is too large"));
        }
        outbox.putUninterruptibly(frame);
    }

    String withoutSecrets(String text) {
        try {
            return secrets == null ? Redaction.SECRETS.redact(text) : secrets.apply(text);
        } catch (RuntimeException | StackOverflowError e) {
            return "(not shown: what hides its secrets failed with "
                    + e.getClass().getName() + ")";
        }
    }

    /** Ends the connection because it cannot go on. Called from any thread; does not wait. */
    void fail(Throwable failure) {
        ending.fail(failure);
    }

    ConnectionState state() {
        return state;
    }

    Machine machine() {
        return machine;
    }

    Outbox outbox() {
        return outbox;
    }

    Dispatcher dispatcher() {
        return dispatcher;
    }

    Measurements measurements() {
        return measurements;
    }

    RecentFrames watchedFrames() {
        return recentFrames;
    }

    Names laneMember() {
        return laneMember;
    }

    String name() {
        return name;
    }

    /** Returns the bounds of this connection. */
    public Limits limits() {
        return limits;
    }

    /** Returns the last messages, oldest first, to explain a failure. They name methods and sizes, never params. */
    public List<RecentFrame> recentFrames() {
        return recentFrames.list();
    }

    /** Returns the last lines that the peer wrote and that were no messages, oldest first, cut to a readable length. */
    public List<String> recentNoise() {
        return recentFrames.noise();
    }

    /** Returns true when the calling thread works for a handler, of whichever connection. */
    public static boolean isInHandler() {
        return Work.current() != null;
    }

    /** Returns true until either side begins to close the connection. */
    public boolean isOpen() {
        return state.isOpen();
    }

    /** Returns true when this side began to close the connection. */
    public boolean closedHere() {
        return closedHere;
    }

    /** Returns what ended the connection, if a failure did. */
    public Optional<Throwable> failure() {
        return Optional.ofNullable(state.reason());
    }

    /**
     * Waits until the connection has ended and nothing of it runs any more.
     *
     * @throws InterruptedException when interrupted; the connection goes on
     */
    public void awaitClosed() throws InterruptedException {
        ending.await();
    }

    /** Waits as {@link #awaitClosed()} does, but returns false when the time was over before. */
    public boolean awaitClosed(Duration time) throws InterruptedException {
        return ending.await(time);
    }

    /**
     * Closes the connection: takes no more work, lets handlers finish for at most {@link Limits#drainTime()},
     * interrupts what is left, writes out what was queued and closes the transport. Blocks until then, except when
     * called from a handler of this connection. Closing twice does nothing.
     */
    @Override
    public void close() {
        if (state.isOpen()) {
            closedHere = true;
        }
        // Not on this thread: an interrupt that it carries must not cut the end short.
        ending.endLater(null);
        Work work = Work.current();
        if (work == null || work.owner != state) {
            ending.awaitQuietly();
        }
    }

    ConnectionClosedException closed(String method) {
        Throwable reason = state.reason();
        // Memory that ran out here is no failure of the peer, and a report of the peer takes more of it.
        return closedExceptions == null || reason instanceof OutOfMemoryError
                ? ClosedExceptions.plainly(method, reason)
                : closedExceptions.create(method, reason);
    }

    /** Collects what a connection needs. */
    public static final class Builder {
        final Transport transport;
        private final Handler handler;
        private String name = "connection";
        private Limits limits = Limits.STANDARD;
        private Time time = Time.SYSTEM;
        private String laneMember = "sessionId";
        private boolean answerNoise = true;
        boolean answersAfterInput = true;
        private @Nullable Consumer<Problem> onProblem;
        private @Nullable ConnectionListener listener;
        private @Nullable ClosedExceptions closedExceptions;
        private @Nullable UnaryOperator<String> secrets;

        @Nullable
        Runnable onEnded;

        @Nullable
        Runnable lastHandlers;

        private Builder(Transport transport, Handler handler) {
            this.transport = transport;
            this.handler = handler;
        }

        /** Names the connection in thread names. */
        public Builder name(String value) {
            this.name = value;
            return this;
        }

        /** Sets other bounds than {@link Limits#STANDARD}. */
        public Builder limits(Limits value) {
            this.limits = value;
            return this;
        }

        /** Sets another clock than the machine's, for tests. */
        public Builder time(Time value) {
            this.time = value;
            return this;
        }

        /** Names the member of params that tells the lane of a message; messages without it share one lane. */
        public Builder laneMember(String value) {
            this.laneMember = value;
            return this;
        }

        /**
         * Says whether a peer that has closed its output may still read. If so (the default), requests that were read
         * before are answered, as far as {@link Limits#drainTime()} allows; else they are cancelled, as they are when
         * the connection fails.
         */
        public Builder answersAfterInput(boolean value) {
            this.answersAfterInput = value;
            return this;
        }

        /**
         * Says whether text that is not a message is answered with an error (the default), or only reported. One side
         * of a connection should not answer, or two programs could keep sending each other errors.
         */
        public Builder answerNoise(boolean value) {
            this.answerNoise = value;
            return this;
        }

        /** Sets who is told of problems that do not end the connection. Called in the connection's lane. */
        public Builder onProblem(Consumer<Problem> value) {
            this.onProblem = value;
            return this;
        }

        /** Sets who is told what the connection does, to measure it; null for nobody. */
        public Builder listener(@Nullable ConnectionListener value) {
            this.listener = value;
            return this;
        }

        /** Sets how the end of the connection is told to those who wait for answers. */
        public Builder closedExceptions(ClosedExceptions value) {
            this.closedExceptions = value;
            return this;
        }

        /** Sets what takes secrets out of the peer's texts that people read; if not set, {@link Redaction#SECRETS}. */
        public Builder secrets(UnaryOperator<String> value) {
            this.secrets = value;
            return this;
        }

        /** Sets what is done once when the connection has ended, whoever ended it; {@link #close()} waits for it. */
        public Builder onEnded(Runnable value) {
            this.onEnded = value;
            return this;
        }

        /**
         * Sets handlers that run once when the connection has ended, on a thread of their own, to free what it held.
         * {@link #close()} waits for them as long as for other handlers, see {@link Limits#drainTime()}, but at least a
         * second.
         */
        public Builder lastHandlers(Runnable value) {
            this.lastHandlers = value;
            return this;
        }

        /** Starts reading and writing. */
        public Connection start() {
            Connection connection = new Connection(this);
            connection.start();
            return connection;
        }
    }
}
