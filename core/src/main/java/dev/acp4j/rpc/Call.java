package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A request that was sent. Threads that wait for it go on only after every notification that the peer wrote before its
 * answer has been handled. All methods may be called from any thread, but only one thread sends.
 */
public final class Call extends Step {
    /** Receives the answer to a call, or its failure. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Receives it. Called once, in the order of the wire, on the thread that reads; the first place of
         * {@link Handler}. {@link Call#result()} has the outcome.
         *
         * @return what is done in the lane of the call, when everything before the answer has been handled and before
         *     the threads go on that wait for it; null when that is nothing
         */
        Handler.@Nullable Delivery arrived(Call call) throws InterruptedException;
    }

    private final RequestId id;
    private final String method;
    private final @Nullable Listener listener;

    /** Whether the call was sent in an envelope: then its place is among what comes in envelopes. */
    final boolean inEnvelope;

    /** The method of the envelope in which it is cancelled; null for none. */
    final @Nullable String cancelEnvelope;

    /** Whether its answer is passed on: no thread waits for it, and its place is in the lane of its session only. */
    final boolean isRelayed;

    // Guarded by the lock of ConnectionState.
    boolean cancelSent;

    /** Whether the listener of the connection knows already how the call ended. */
    boolean measured;

    /** How many bytes of messages were put before it: the peer has read them when it answers. As {@link #begun}. */
    long behind;

    /** When the request was made, in nanoseconds. Written before anybody else sees the call. */
    long begun;

    /** The request, until it is sent: it may be large, and the call lives longer. For the thread that sends. */
    private @Nullable Message request;

    // Written before the call is placed, read after.
    private Handler.@Nullable Delivery delivery;
    private volatile @Nullable Message answer;
    private volatile @Nullable RpcException failure;

    Call(Connection connection, Message request, @Nullable Listener listener) {
        this(connection, request, listener, false, null);
    }

    Call(
            Connection connection,
            Message request,
            @Nullable Listener listener,
            boolean isRelayed,
            @Nullable String cancelEnvelope) {
        super(connection, request.session());
        this.inEnvelope = request.isInEnvelope();
        this.isRelayed = isRelayed;
        this.cancelEnvelope = cancelEnvelope;
        this.id = Objects.requireNonNull(request.id());
        this.method = request.method();
        this.request = request;
        this.listener = listener;
    }

    /** Returns the notification by which the peer is asked to cancel it. */
    Message cancellation() {
        Message bare = Message.cancel(id);
        return cancelEnvelope == null ? bare : bare.forwarded(null, cancelEnvelope);
    }

    /** Returns the id that was sent. */
    public RequestId id() {
        return id;
    }

    /** Returns the method that was called. */
    public String method() {
        return method;
    }

    @Override
    protected String name() {
        return method;
    }

    /**
     * Waits until the outgoing queue has room for the request of a call that was {@linkplain Connection#prepare
     * prepared}.
     *
     * @throws InterruptedException when interrupted; nothing was sent
     * @throws WouldDeadlockException when there is no room, and reading waits for the handler that sends
     */
    public void awaitRoom() throws InterruptedException {
        connection.awaitRoom(method, Objects.requireNonNull(request, "the request was sent"));
    }

    /**
     * Sends the request of a call that was {@linkplain Connection#prepare prepared}, whether there is room or not.
     * Never waits.
     *
     * @return this call
     * @throws ConnectionClosedException when the connection takes no more requests
     * @throws IllegalStateException when too many requests are in flight
     */
    public Call send() {
        connection.send(this, takeRequest());
        return this;
    }

    Message takeRequest() {
        Message taken = Objects.requireNonNull(request, "the request was sent");
        request = null;
        return taken;
    }

    /**
     * Waits for the answer for as long as the connection's {@link Limits#requestTimeout()} says. Interrupting the
     * thread cancels the call at the peer.
     *
     * @return the raw result
     * @throws InterruptedException when the thread is interrupted; a late answer is then dropped
     * @throws RpcException when the peer answered with an error, the time is over or the connection ended
     */
    public RawJson await() throws InterruptedException {
        return await(connection.limits().requestTimeout());
    }

    /**
     * Waits for the answer.
     *
     * @param timeout how long, not negative; zero means without limit
     * @return the raw result
     * @throws InterruptedException as for {@link #await()}
     * @throws RpcException as for {@link #await()}
     */
    public RawJson await(Duration timeout) throws InterruptedException {
        try {
            if (!awaitEnd(Limits.nanos(timeout))) {
                RequestTimeoutException late = new RequestTimeoutException(method, timeout);
                connection.abandon(this);
                connection.measurements.called(this, late);
                throw late;
            }
        } catch (InterruptedException | WouldDeadlockException e) {
            connection.abandon(this);
            throw e;
        }
        return result();
    }

    /**
     * Waits for the answer and decodes it.
     *
     * @param codec reads the result
     * @param timeout how long; zero means without limit
     * @throws MalformedMessageException when the result does not have the expected shape
     * @throws InterruptedException as for {@link #await()}
     * @throws RpcException as for {@link #await()}
     */
    public <R> R await(Codec<R> codec, Duration timeout) throws InterruptedException {
        await(timeout);
        return result(codec);
    }

    /**
     * Returns the result of a call whose answer has arrived.
     *
     * @throws IllegalStateException when it has not
     * @throws RpcException when the call failed
     */
    public RawJson result() {
        RpcException why = failure;
        if (why != null) {
            throw why;
        }
        Message message = answer;
        if (message == null) {
            throw new IllegalStateException(method + " has no answer yet");
        }
        RawJson result = message.result();
        return result == null ? RawJson.NULL : result;
    }

    /**
     * Returns the decoded result of a call whose answer has arrived.
     *
     * @throws MalformedMessageException when the result does not have the expected shape
     * @throws RpcException when the call failed
     */
    public <R> R result(Codec<R> codec) {
        RawJson raw = result();
        try {
            return decode(raw, codec);
        } catch (JsonException e) {
            String why = connection.withoutSecrets(String.valueOf(e.getMessage()));
            // Without the cause, whose message has the secrets.
            throw new MalformedMessageException(method + ": " + why, raw, null);
        }
    }

    private static <R> R decode(RawJson raw, Codec<R> codec) {
        try {
            return raw.decode(codec, "result");
        } catch (JsonException e) {
            if (!raw.equals(RawJson.NULL)) {
                throw e;
            }
            // Where an object is expected, null stands for one whose members all have defaults.
            return RawJson.EMPTY_OBJECT.decode(codec, "result");
        }
    }

    /** Returns the answer as it came; empty before it has arrived, and when the call failed without one. */
    public Optional<Message> answer() {
        return Optional.ofNullable(answer);
    }

    /** Returns why the call failed, or null. */
    @Nullable
    RpcException failure() {
        return failure;
    }

    /**
     * Asks the peer to cancel the request, once. The call still ends with the peer's answer, which may be a result:
     * wait for it if it matters. Does nothing when the call is done.
     */
    public void cancel() {
        connection.cancel(this);
    }

    /** Asks the peer to cancel the request, and does not wait for the answer any more. */
    public void abandon() {
        connection.abandon(this);
    }

    void answer(Message message) {
        answer = message;
    }

    void fail(RpcException e) {
        failure = e;
    }

    /** The outcome is set. */
    void arrived() throws InterruptedException {
        delivery = listener == null ? null : listener.arrived(this);
    }

    @Override
    protected void delivered() throws Exception {
        if (delivery != null) {
            delivery.deliver();
        }
    }

    @Override
    protected boolean mayEndAnywhere() {
        return delivery == null && !connection.measurements.areTaken();
    }

    @Override
    protected void abandoned(RpcException why) throws InterruptedException {
        fail(why);
        arrived();
    }
}
