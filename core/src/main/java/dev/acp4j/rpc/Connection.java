package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
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
    private final String name;
    private final Limits limits;
    private final ConnectionClosedException.@Nullable Factory closedExceptions;
    private final @Nullable UnaryOperator<String> secrets;
    private final boolean holdsCarrier;
    private volatile boolean closedHere;

    final Machine machine;
    final ConnectionState state;
    final RecentMessages recentMessages = new RecentMessages();
    final Measurements measurements;
    final Ending ending;

    /** Takes what is sent. */
    final Outbox outbox;

    /** Writes to the transport: the same, or what is behind the interceptors. */
    final Outbox wire;

    private final Interceptors.@Nullable Outgoing outgoing;
    final Dispatcher dispatcher;
    final Crowding crowding = new Crowding();

    private Connection(Builder builder) {
        this.name = "acp4j-".concat(builder.name);
        this.limits = builder.limits;
        this.closedExceptions = builder.closedExceptions;
        this.secrets = builder.secrets;
        this.holdsCarrier = builder.transport.holdsCarrier();
        this.machine = Machine.of(builder.time, !holdsCarrier, builder.virtualThreads);
        this.state = new ConnectionState(limits, machine);
        this.ending = new Ending(this, builder);
        this.wire =
                new Outbox(builder.transport.writer(), recentMessages, limits.outboxBytes(), machine, crowding, ending);
        this.outgoing = builder.outgoing.isEmpty() ? null : new Interceptors.Outgoing(this, builder.outgoing, wire);
        this.outbox =
                outgoing == null ? wire : new Outbox(outgoing, null, limits.outboxBytes(), machine, crowding, ending);
        this.measurements = new Measurements(this, builder.listener, machine);
        this.dispatcher = new Dispatcher(this, builder, builder.handler);
    }

    /** Begins a connection over a transport that nobody reads or writes otherwise; it is closed with the connection. */
    public static Builder builder(Transport transport, Handler handler) {
        return new Builder(transport, handler);
    }

    void start() {
        measurements.began();
        // Not lambdas, nor in the fields of the builder: to link these takes a quarter of an agent's time to start.
        if (outgoing != null) {
            machine.startThread(name + "-interceptors", outbox);
        }
        startCarrying("-writer", wire);
        startCarrying("-reader", dispatcher);
    }

    private void startCarrying(String role, Runnable body) {
        if (holdsCarrier) {
            machine.startThread(name + role, body);
        } else {
            machine.startVirtualThread(name + role, body);
        }
    }

    /**
     * Calls the peer and waits for the answer, for as long as {@link Limits#requestTimeout()} says.
     *
     * @throws InterruptedException when interrupted; the peer is asked to cancel
     * @throws RpcException when the peer answers with an error, no answer comes in time, or the connection ends
     */
    public RawJson call(String method, @Nullable RawJson params) throws InterruptedException {
        return start(method, params, RawJson.CODEC, null).await();
    }

    /**
     * Sends a request. Blocks only while the outgoing queue is full.
     *
     * @param params the params, or null for none
     * @param codec writes the params
     * @param listener receives the answer or failure; null for none
     * @return the call, to wait for its answer or to cancel it
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws ConnectionClosedException when the connection takes no more requests
     * @throws IllegalStateException when too many requests are in flight
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public <P> Call start(String method, @Nullable P params, Codec<P> codec, Call.@Nullable Listener listener)
            throws InterruptedException {
        Call call = prepare(method, params, codec, listener);
        begin(call);
        try {
            put(method, call.takeRequest());
        } catch (InterruptedException | RpcException e) {
            state.answered(call.id());
            throw e;
        }
        return call;
    }

    /**
     * Makes a request that is sent later, by {@link Call#send()}; see {@link #start}.
     *
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public <P> Call prepare(String method, @Nullable P params, Codec<P> codec, Call.@Nullable Listener listener) {
        RequestId id = state.nextId();
        Message message = checked(Message.request(id, method, params, codec));
        return new Call(this, message, listener);
    }

    RequestId nextId() {
        return state.nextId();
    }

    /** Sends a call that was made for this connection, waiting for room. */
    Call start(Call call) throws InterruptedException {
        return send(call, this);
    }

    /**
     * Sends a call, waiting for room.
     *
     * @param from the connection for whose messages it is sent
     */
    Call send(Call call, Connection from) throws InterruptedException {
        begin(call);
        try {
            Crowding.put(from, this, call.takeRequest());
        } catch (InterruptedException | RpcException e) {
            state.answered(call.id());
            throw e;
        }
        return call;
    }

    /**
     * Answers a request of the peer with a message that was answered elsewhere, waiting for room. Does nothing when
     * nobody waits for the answer.
     *
     * @param from the connection from which the answer comes: perhaps its reading thread waits
     */
    void answer(IncomingRequest request, Message answer, Connection from) throws InterruptedException {
        long nanos = measurements.now() - request.begun;
        if (!state.handled(request)) {
            return;
        }
        Message sent = answer.length() <= limits.messageBytes() ? answer : answerOf(request.id(), null, tooLarge());
        try {
            putAnswer(sent, from);
        } finally {
            state.answerQueued();
        }
        if (measurements.areTaken()) {
            RawJson error = sent.error();
            RpcError failed = error == null ? null : RpcError.read(request.method(), error, this::withoutSecrets);
            measurements.handled(request.method(), nanos, failed, true);
        }
    }

    private void putAnswer(Message answer, Connection from) throws InterruptedException {
        if (!from.dispatcher.isReading()) {
            owe(answer, Crowding.isHeld(from, this));
            return;
        }
        try {
            Crowding.put(from, this, answer);
        } catch (ConnectionClosedException e) {
            // Nobody is there to read it.
        } catch (WouldDeadlockException | InterruptedException e) {
            // An answer is owed, and there is room for a short one.
            RequestId id = Objects.requireNonNull(answer.id());
            boolean unused = outbox.force(answerOf(id, null, noRoom()));
            if (e instanceof InterruptedException interrupted) {
                throw interrupted;
            }
        }
    }

    /** Queues an answer, waiting for room: in the queue, and first whether there is any if it is held. */
    private void owe(Message answer, boolean isHeld) {
        if (isHeld || outbox.offered(answer) != Outbox.Put.QUEUED) {
            state.addStuck(1, answer.length());
            boolean unused = outbox.putUninterruptibly(answer);
            state.addStuck(-1, -answer.length());
        }
    }

    private static RpcError noRoom() {
        return new RpcError(RpcError.INTERNAL_ERROR, "The answer could not be passed on: the outgoing queue is full");
    }

    private static RpcError tooLarge() {
        return new RpcError(RpcError.INTERNAL_ERROR, "The answer is too large");
    }

    private void begin(Call call) {
        call.behind = outbox.written() + outbox.bytes();
        call.begun = measurements.now();
        if (!state.register(call)) {
            throw closed(call.method());
        }
    }

    /** Sends a call and never waits. */
    void send(Call call, Message message) {
        begin(call);
        // What an interceptor sends does not wait for the message that it intercepts.
        Outbox next = outgoing != null && outgoing.isOnOwnThread() ? wire : outbox;
        if (!next.force(message)) {
            state.answered(call.id());
            throw closed(call.method());
        }
    }

    /**
     * Sends a notification. Blocks only while the outgoing queue is full.
     *
     * @param params the params, or null for none
     * @param codec writes the params
     * @throws InterruptedException when interrupted while waiting for room; nothing was sent
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws WouldDeadlockException when there is no room, and reading waits for the handler that sends
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public <P> void send(String method, @Nullable P params, Codec<P> codec) throws InterruptedException {
        put(method, checked(Message.notification(method, params, codec)));
    }

    /**
     * Queues a message as it is, if there is room in the outgoing queue. Never waits. One message may be queued to
     * several connections.
     *
     * @return false when there is no room
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public boolean offer(Message message) {
        Message sent = checked(message);
        if (outgoing != null && outgoing.isOnOwnThread() && outbox.force(sent)) {
            // This thread is the one that would make room.
            return true;
        }
        Outbox.Put put = outbox.offered(sent);
        if (put == Outbox.Put.CLOSED) {
            throw closed(message.method());
        }
        return put == Outbox.Put.QUEUED;
    }

    /**
     * Queues a message as it is, whether there is room or not. Never waits. For one for which there was
     * {@linkplain #hasRoom room} just now: then each sender goes beyond the bound by one message at most.
     *
     * @throws ConnectionClosedException when the connection takes no more messages
     * @throws IllegalArgumentException when the message is larger than {@link Limits#messageBytes()}
     */
    public void queue(Message message) {
        if (!outbox.queue(checked(message), Long.MAX_VALUE)) {
            throw closed(message.method());
        }
    }

    /**
     * Returns whether {@link #offer} would find room for a message now: other threads may take it, or make some. True
     * when the connection takes no more messages.
     */
    public boolean hasRoom(Message message) {
        return (outgoing != null && outgoing.isOnOwnThread()) || outbox.hasRoom(message);
    }

    /**
     * Waits until the outgoing queue has room for a message, or the connection takes no more.
     *
     * @throws InterruptedException when interrupted
     * @throws WouldDeadlockException when there is no room, and reading waits for the handler that waits here
     */
    public void awaitRoom(Message message) throws InterruptedException {
        awaitRoom(message.method(), message);
    }

    /**
     * Waits as {@link #awaitRoom(Message)} does, but not longer than for a time.
     *
     * @param time how long, not negative
     * @return false when the time was over before
     * @throws InterruptedException when interrupted
     */
    public boolean awaitRoom(Message message, Duration time) throws InterruptedException {
        return outbox.awaitRoom(message, Limits.nanos(time));
    }

    /** Queues a message, waiting for room. */
    void put(String method, Message message) throws InterruptedException {
        if (outgoing != null && outgoing.isOnOwnThread()) {
            outgoing.intercept(message);
            return;
        }
        long patience = Math.max(1, Limits.nanos(limits.barrierPatience()));
        Outbox.Put put;
        while ((put = outbox.put(message, patience, -1)) == Outbox.Put.FULL) {
            requireReading(method);
        }
        if (put == Outbox.Put.CLOSED) {
            throw closed(method);
        }
    }

    /**
     * Throws when there is no room in the outgoing queue, and the peer perhaps does not read because nothing is read
     * here. For callers that wait for room repeatedly with a time limit.
     *
     * @throws WouldDeadlockException when reading waits for the handler that calls this
     */
    public void requireReading(String method) {
        if (state.isDeadlocked()) {
            throw new WouldDeadlockException(method, limits.laneBytes());
        }
    }

    /** Waits until there is room for a message, unless that would never come. */
    void awaitRoom(String method, Message message) throws InterruptedException {
        if (outgoing != null && outgoing.isOnOwnThread()) {
            return;
        }
        long patience = Math.max(1, Limits.nanos(limits.barrierPatience()));
        while (!outbox.awaitRoom(message, patience)) {
            requireReading(method);
        }
    }

    /**
     * Sends a notification without waiting for room in the outgoing queue: for the few messages that must get out when
     * it is full, such as cancellations. Does nothing when the connection has ended.
     */
    public <P> void sendAtOnce(String method, @Nullable P params, Codec<P> codec) {
        outbox.force(checked(Message.notification(method, params, codec)));
    }

    /** Sends a notification with raw params; see {@link #send(String, Object, Codec)}. */
    public void send(String method, @Nullable RawJson params) throws InterruptedException {
        send(method, params, RawJson.CODEC);
    }

    // ---- steps and backlogs, for what ends otherwise than by an answer

    /**
     * Registers a step that a later message ends, so that it is {@linkplain Step#abandoned abandoned} when the
     * connection ends before.
     *
     * @return false when the connection takes no more work
     */
    public boolean expect(Step step) {
        return state.register(step);
    }

    /** Places a step behind everything that was read so far: it ends when that has been handled. Never waits. */
    public void place(Step step) {
        dispatcher.place(step);
    }

    /** Ends a step at once, whatever was read before. */
    public void end(Step step) {
        state.finish(step);
    }

    /**
     * Ends a step at once, or when this thread has received what was read already: threads are woken once for many
     * messages. For the thread that reads.
     */
    public void endSoon(Step step) {
        dispatcher.endSoon(step);
    }

    /** Returns a new count of bytes that are kept for a thread. */
    public Backlog newBacklog() {
        return new Backlog(this);
    }

    void cancel(Call call) {
        if (state.markCancelled(call)) {
            outbox.force(call.cancellation());
        }
    }

    /** Asks the peer to cancel, and frees the call's place among those in flight. */
    void abandon(Call call) {
        cancel(call);
        Call forgotten = state.abandon(call);
        if (forgotten != null) {
            dispatcher.abandon(forgotten, new RequestTimeoutException(forgotten.method(), limits.requestTimeout()));
        }
    }

    Message checked(Message message) {
        if (message.length() > limits.messageBytes()) {
            throw new IllegalArgumentException(message.method() + ": message of " + message.length()
                    + " bytes, allowed are " + limits.messageBytes());
        }
        return message;
    }

    /** Queues the answer to a request. */
    void answer(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        owe(answerOf(id, result, error), false);
    }

    private Message answerOf(RequestId id, @Nullable RawJson result, @Nullable RpcError error) {
        Message message = Message.answer(id, result, error);
        return message.length() <= limits.messageBytes() ? message : Message.answer(id, null, tooLarge());
    }

    void answerAtOnce(IncomingRequest request, RawJson result) {
        long nanos = measurements.now() - request.begun;
        boolean unused = state.handled(request);
        outbox.force(answerOf(request.id(), result, null));
        state.answerQueued();
        // Even without a listener: the first worker takes a while to start, and now the peer reads the answer.
        dispatcher.runBeside(() -> measurements.handled(request.method(), nanos, null, false));
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

    /** Takes no more messages and waits until those that wait are written, or the time is over. */
    void writeOut(Duration time) {
        if (outgoing != null) {
            outbox.close();
            if (!outbox.awaitEnd(time)) {
                outgoing.interrupt();
            }
        }
        wire.close();
        boolean unused = wire.awaitEnd(time);
    }

    /**
     * Ends the direction to the peer: takes no more messages, writes out those that wait, and lets the peer read the
     * end of its input. What the peer says after that is still received; the connection ends when the peer ends its
     * side. Blocks until that is written, for a bounded time. Does nothing the second time.
     */
    public void endOutput() {
        writeOut(Ending.WRITE_OUT_TIME);
        try {
            ending.transport.writer().close();
        } catch (IOException e) {
            // The peer does not read any more, which is what it would be told.
        }
    }

    /**
     * Returns whether reading waits for room: here, for messages that wait for their handlers, or at a connection to
     * which they are passed on. What the peer has said is not known then.
     */
    public boolean isReaderWaiting() {
        return state.isReaderWaiting() || crowding.isReaderWaiting();
    }

    /** Returns how many bytes of messages wait to be written. */
    public long queuedBytes() {
        return outbox == wire ? wire.bytes() : outbox.bytes() + wire.bytes();
    }

    /**
     * Asks the peer to cancel a request that was sent to it, and waits no longer for the answer: the call fails with a
     * {@link RequestTimeoutException}. Does nothing when it is over.
     *
     * @param time how long it was waited for
     */
    public void abandon(RequestId id, Duration time) {
        Call call = state.inFlight(id);
        if (call == null) {
            return;
        }
        boolean ask = state.markCancelled(call);
        // Not sent before: the answer to that would come first.
        if (state.answered(id) != null) {
            if (ask) {
                outbox.force(call.cancellation());
            }
            dispatcher.abandon(call, new RequestTimeoutException(call.method(), time));
        }
    }

    /** Returns the name in reports: that of {@link Builder#name}, with {@code acp4j-} before it. */
    public String name() {
        return name;
    }

    /** Returns the request of the peer that the calling thread handles; empty on any other thread. */
    public Optional<IncomingRequest> handled() {
        return Optional.ofNullable(state.handledBy(Thread.currentThread()));
    }

    /** Returns the requests of the peer that have not been answered, in no order. */
    public List<IncomingRequest> unanswered() {
        return state.unanswered();
    }

    /** Returns the bounds of this connection. */
    public Limits limits() {
        return limits;
    }

    /** Returns the last messages, oldest first, to explain a failure. They name methods and sizes, never params. */
    public List<Message.Summary> recentMessages() {
        return recentMessages.list();
    }

    /** Returns the last lines that the peer wrote and that were no messages, oldest first, cut to a readable length. */
    public List<String> recentNoise() {
        return recentMessages.noise();
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
     * @throws InterruptedException when interrupted; the connection stays open
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
                ? ConnectionClosedException.Factory.plainly(method, reason)
                : closedExceptions.create(method, reason);
    }

    /** Collects what a connection needs. */
    public static final class Builder {
        final Transport transport;
        private final Handler handler;
        final List<Interceptor> incoming = new ArrayList<>();
        final List<Interceptor> outgoing = new ArrayList<>();
        private String name = "connection";
        private Limits limits = Limits.STANDARD;
        private Time time = Time.SYSTEM;
        private boolean virtualThreads;
        boolean answerNoise = true;
        boolean answersAfterInput = true;
        Set<String> envelopes = Set.of();

        @Nullable
        Consumer<Problem> onProblem;

        private @Nullable Listener listener;
        private ConnectionClosedException.@Nullable Factory closedExceptions;
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

        /**
         * Sets whether handlers run on virtual threads; by default they have platform threads. A handler that computes,
         * reads files or pipes, or, before Java 24, waits in a {@code synchronized} block, keeps a carrier: a few of
         * them hold up all others of the JVM.
         */
        public Builder virtualThreads(boolean value) {
            this.virtualThreads = value;
            return this;
        }

        /** Adds interceptors of what the peer sends; the first sees a message first. */
        public Builder interceptIncoming(List<Interceptor> values) {
            incoming.addAll(values);
            return this;
        }

        /** Adds interceptors of what is sent to the peer; the first sees a message first. */
        public Builder interceptOutgoing(List<Interceptor> values) {
            outgoing.addAll(values);
            return this;
        }

        boolean hasInterceptors() {
            return !incoming.isEmpty() || !outgoing.isEmpty();
        }

        /**
         * Sets whether a peer that has closed its output may still read. If so (the default), requests that were read
         * before are answered, as far as {@link Limits#drainTime()} allows; else they are cancelled, as they are when
         * the connection fails.
         */
        public Builder answersAfterInput(boolean value) {
            this.answersAfterInput = value;
            return this;
        }

        /**
         * Sets the methods whose messages carry others, each with its {@code method} and {@code params} in the params:
         * they are taken out before anybody sees them, see {@link Message#isInEnvelope()}.
         */
        public Builder envelopes(String... names) {
            this.envelopes = Set.of(names);
            return this;
        }

        /**
         * Sets whether text that is not a message is answered with an error (the default), or only reported. One side
         * of a connection should not answer, or two programs could keep sending each other errors.
         */
        public Builder answerNoise(boolean value) {
            this.answerNoise = value;
            return this;
        }

        /** Sets the listener of problems that do not end the connection. It is called in the connection's lane. */
        public Builder onProblem(Consumer<Problem> value) {
            this.onProblem = value;
            return this;
        }

        /** Sets the listener that measures the connection; null for none. */
        public Builder listener(@Nullable Listener value) {
            this.listener = value;
            return this;
        }

        /** Sets the exceptions for callers whose answers will not come because the connection has ended. */
        public Builder closedExceptions(ConnectionClosedException.Factory value) {
            this.closedExceptions = value;
            return this;
        }

        /** Sets what takes secrets out of the peer's texts that people read; if not set, {@link Redaction#SECRETS}. */
        public Builder secrets(UnaryOperator<String> value) {
            this.secrets = value;
            return this;
        }

        /** Sets an action that runs once when the connection has ended; {@link #close()} waits for it. */
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
            Connection connection = create();
            connection.start();
            return connection;
        }

        /** Makes the connection, which neither reads nor writes before it is started. */
        Connection create() {
            Connection connection = new Connection(this);
            handler.bound(connection);
            return connection;
        }
    }

    /**
     * Is told what connections do, to count and to measure it: adapters to libraries for metrics implement this. One
     * listener may be given to many connections.
     *
     * <p>It is called on threads of the connection, when the reported operation is over, for example when an answer is
     * on its way, and that of several in any order. So it returns soon, and uses the connection for nothing but its
     * name. What it throws is reported as a problem. The flight recorder of the JDK gets the same events while it
     * records.
     */
    public interface Listener {
        /** A connection begins to read and write. */
        default void began(Connection connection) {}

        /**
         * A request of the peer was answered, or refused without being handled.
         *
         * @param connection where
         * @param method the method
         * @param time from reading the request to having its answer ready
         * @param error the error that it was answered with, or null
         */
        default void handled(Connection connection, String method, Duration time, @Nullable RpcError error) {}

        /**
         * A call of ours is over: answered, timed out, or failed with the connection. An interrupted call is reported
         * when its answer comes; a call that was refused before it was sent may not be reported.
         *
         * @param connection where
         * @param method the method
         * @param time from making the request to having its answer, or to the end of the time for it
         * @param failure why there is no result, or null
         */
        default void called(Connection connection, String method, Duration time, @Nullable RpcException failure) {}

        /**
         * A connection has ended.
         *
         * @param connection which one
         * @param time how long it lasted
         * @param failure what ended it, or null after a clean end
         */
        default void ended(Connection connection, Duration time, @Nullable Throwable failure) {}
    }

    /**
     * How many bytes of messages were read and are kept for one thread that takes them outside the lanes: the reader of
     * a turn. They count against {@link Limits#laneBytes()}; beyond that the reading thread waits, which slows the
     * peer. All methods may be called from any thread.
     */
    public static final class Backlog {
        private final Dispatcher dispatcher;
        private final ConnectionState state;

        // Guarded by the lock of ConnectionState.

        long bytes;

        /** The thread that takes what is kept; null while there is none. */
        @Nullable
        Thread consumer;

        Backlog(Connection connection) {
            this.dispatcher = connection.dispatcher;
            this.state = connection.state;
        }

        /** Adds what was kept. Never waits. Returns false when that is more than the bound. */
        public boolean add(long kept) {
            return state.add(this, kept);
        }

        /** Subtracts what was taken or discarded. */
        public void remove(long taken) {
            state.remove(this, taken);
        }

        /** Names the thread that takes what is kept; null for none, and then nothing waits for room. */
        public void consumedBy(@Nullable Thread thread) {
            state.consumedBy(this, thread);
        }

        /**
         * Waits until what is kept is within the bound, if there is a thread that takes it. To be called by the reading
         * thread, without a lock.
         *
         * @throws InterruptedException when interrupted
         */
        public void awaitRoom() throws InterruptedException {
            dispatcher.endSteps();
            state.awaitRoom(this);
        }
    }
}
