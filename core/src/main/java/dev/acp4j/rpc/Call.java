package dev.acp4j.rpc;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.time.Duration;
import java.util.concurrent.locks.Condition;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that was sent. Its answer is seen only after every notification that the peer wrote before it has been
 * handled. All methods may be called from any thread.
 */
public final class Call {
    enum Progress {
        SENT,
        /** The answer was read but waits behind earlier messages of its lane. */
        ARRIVED,
        /** The outcome is set, and the listener is being told. */
        TELLING,
        /** Whoever waits may go on. */
        DONE
    }

    private final Connection connection;
    private final RequestId id;
    private final String method;
    private final String lane;
    private final @Nullable Consumer<Call> whenDone;

    // Guarded by the lock of ConnectionState.
    Progress progress = Progress.SENT;
    boolean cancelSent;

    /** Whether the listener of the connection knows already how the call ended. */
    boolean measured;

    /** When the request was made, in nanoseconds. Written before anybody else sees the call. */
    long begun;

    /** The lane in which the answer waits. */
    @Nullable
    Lane queuedIn;

    /** That the answer is delivered before its turn, and why; null when it is not. */
    @Nullable
    Problem passed;

    /** Those who wait for the call wait for this; null while nobody does. */
    @Nullable
    Condition changed;

    // Written before progress becomes DONE, read after.
    private @Nullable RawJson result;
    private @Nullable RpcException failure;

    Call(Connection connection, RequestId id, String method, String lane, @Nullable Consumer<Call> whenDone) {
        this.connection = connection;
        this.id = id;
        this.method = method;
        this.lane = lane;
        this.whenDone = whenDone;
    }

    /** Returns the id that was sent. */
    public RequestId id() {
        return id;
    }

    /** Returns the method that was called. */
    public String method() {
        return method;
    }

    String lane() {
        return lane;
    }

    /** Returns true when the answer, or the failure, is there; those who wait are woken after the listener was told. */
    public boolean isDone() {
        return connection.state().calls.isDone(this);
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
     * @param timeout how long, not negative; zero means for ever
     * @return the raw result
     * @throws InterruptedException as for {@link #await()}
     * @throws RpcException as for {@link #await()}
     */
    public RawJson await(Duration timeout) throws InterruptedException {
        try {
            if (!awaitLettingOthersPass(Limits.nanos(timeout), Call::never)) {
                RequestTimeoutException late = new RequestTimeoutException(method, timeout);
                connection.giveUp(this);
                connection.measurements().timedOut(this, late);
                throw late;
            }
        } catch (InterruptedException e) {
            connection.giveUp(this);
            throw e;
        }
        return result();
    }

    /**
     * Waits until the call is done, however that ends. Unlike {@link #await()}, interrupting the thread does not cancel
     * it.
     *
     * @throws InterruptedException when the thread is interrupted; the call goes on
     */
    public void join() throws InterruptedException {
        join(Call::never);
    }

    /**
     * Waits until the call is done, or until there is enough of something that comes before its answer. As with
     * {@link #join()}, the thread may be a handler that keeps the answer waiting.
     *
     * @param enough tells when to return; asked when the wait begins, when the call changes, and after {@link #wake()}.
     *     It must neither block nor use the connection
     * @throws InterruptedException when the thread is interrupted; the call goes on
     */
    public void join(BooleanSupplier enough) throws InterruptedException {
        boolean unused = awaitLettingOthersPass(0, enough);
    }

    private static boolean never() {
        return false;
    }

    /** Lets {@link #join(BooleanSupplier)} look whether there is enough. */
    public void wake() {
        connection.state().calls.wake(this);
    }

    /** Waits, and runs what overtakes handlers meanwhile. Returns false when the time is over. */
    private boolean awaitLettingOthersPass(long nanos, BooleanSupplier enough) throws InterruptedException {
        try (Waiting waiting = Waiting.begin(connection.state(), this, nanos, enough)) {
            LaneItem overtaking;
            while ((overtaking = waiting.next()) != null) {
                connection.dispatcher().runBeside(overtaking.run());
            }
            return connection.state().calls.isOver(this);
        }
    }

    /**
     * Waits for the answer and decodes it.
     *
     * @param codec reads the result
     * @param timeout how long; zero means for ever
     * @throws MalformedMessageException when the result does not have the expected shape
     * @throws InterruptedException as for {@link #await()}
     * @throws RpcException as for {@link #await()}
     */
    public <R> R await(Codec<R> codec, Duration timeout) throws InterruptedException {
        await(timeout);
        return result(codec);
    }

    /**
     * Returns the result of a call that is done.
     *
     * @throws IllegalStateException when it is not done
     * @throws RpcException when it failed
     */
    public RawJson result() {
        if (!isDone()) {
            throw new IllegalStateException(method + " has no answer yet");
        }
        if (failure != null) {
            throw failure;
        }
        return result == null ? RawJson.NULL : result;
    }

    /**
     * Returns the decoded result of a call that is done.
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
            // To who expects an object, null stands for one whose members all have defaults.
            return RawJson.EMPTY_OBJECT.decode(codec, "result");
        }
    }

    /**
     * Asks the peer to cancel the request, once. The call still ends with the peer's answer, which may be a result:
     * wait for it if it matters. Does nothing when the call is done.
     */
    public void cancel() {
        connection.cancel(this);
    }

    /** Lets those look again who wait for the call. Called with the lock held. */
    void wakeWaiters() {
        if (changed != null) {
            changed.signalAll();
        }
    }

    void succeed(RawJson value) {
        result = value;
    }

    void fail(RpcException e) {
        failure = e;
    }

    /** Returns why the call that is done failed, or null. */
    @Nullable
    RpcException failure() {
        return failure;
    }

    boolean hasListener() {
        return whenDone != null;
    }

    /** Tells the listener; called once, outside any lock, after the call became done. */
    void announce() {
        if (whenDone != null) {
            whenDone.accept(this);
        }
    }
}
