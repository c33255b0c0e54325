package dev.acp4j.rpc;

import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A request of the peer that has not been answered yet. */
public final class IncomingRequest {
    private final Connection connection;
    private final RequestId id;
    private final String method;
    private final String session;

    /** When the request was read, in nanoseconds. */
    final long begun;

    private volatile @Nullable Message message;

    // Guarded by the lock of ConnectionState, which alone changes them.
    private int bytes;

    private @Nullable Thread thread;
    private @Nullable Runnable onCancel;
    private @Nullable Runnable onAnswered;
    private boolean finished;
    private boolean answered;
    private volatile boolean cancelled;

    IncomingRequest(Connection connection, Message message) {
        this.connection = connection;
        this.id = Objects.requireNonNull(message.id());
        this.method = message.method();
        this.session = message.session();
        this.message = message;
        this.bytes = message.length();
        this.begun = connection.measurements.now();
    }

    /** Returns the peer's id of the request. */
    public RequestId id() {
        return id;
    }

    /** Returns the method. */
    public String method() {
        return method;
    }

    /** Returns the id of the session that the request names; empty when it names none. */
    public String session() {
        return session;
    }

    /** Returns the request as it came, or null when its params were taken. */
    public @Nullable Message message() {
        return message;
    }

    /** Returns the params, or null when there are none or they were taken. */
    public @Nullable RawJson params() {
        Message whole = message;
        return whole == null ? null : whole.params();
    }

    /** Returns the params and keeps them no longer: once decoded, a large request takes its memory only once. */
    public @Nullable RawJson takeParams() {
        RawJson taken = params();
        message = null;
        return taken;
    }

    /**
     * Answers at once, before anything that is read later. Only {@link Handler#request} may call this, and then returns
     * null. Never waits.
     */
    public void answer(RawJson result) {
        connection.answerAtOnce(this, result);
    }

    /**
     * The handler takes the request up for good: the peer can cancel it no more, though the connection still can, which
     * waits for the handler and interrupts it as before. {@link #answerEarly} answers it then.
     *
     * @return false when the request was cancelled, answered or released before
     */
    public boolean accept() {
        return connection.state.accept(this);
    }

    /**
     * Answers an {@linkplain #accept accepted} request while its handler goes on: what that returns or throws later is
     * discarded. Waits for room in the outgoing queue.
     */
    public void answerEarly(RawJson result) {
        if (connection.state.answeredEarly(this)) {
            connection.answer(id, result, null);
            connection.measurements.handled(method, connection.measurements.now() - begun, null, false);
        }
    }

    /**
     * Parts the request from its connection: its handler is neither interrupted nor waited for when the connection
     * ends, and what it returns is discarded. Does nothing when the handler has returned.
     */
    public void release() {
        connection.state.release(this);
    }

    /** Returns how many bytes the message takes here. */
    int bytes() {
        return bytes;
    }

    /** Returns how many bytes it took; from now on it takes none. */
    int takeBytes() {
        int taken = bytes;
        bytes = 0;
        return taken;
    }

    /**
     * Returns true when the peer cancelled the request, or the connection ended, even if the handler has not noticed.
     */
    public boolean isCancelled() {
        return cancelled;
    }

    /**
     * Sets what runs when the request is cancelled while its handler works: at once, on this thread, if it was
     * cancelled before; else on the thread that cancels it, which reads messages. So it neither blocks nor throws.
     */
    public void onCancel(Runnable action) {
        if (!connection.state.keepOnCancel(this, action)) {
            action.run();
        }
    }

    /**
     * Sets what runs when the request has been answered, or nobody waits for an answer any more: at once, on this
     * thread, if that is so; else on the thread that answers it, perhaps with a lock. So it neither blocks nor throws.
     */
    public void onAnswered(Runnable action) {
        if (!connection.state.keepOnAnswered(this, action)) {
            action.run();
        }
    }

    /** Returns false when the request has been answered. */
    boolean keepOnAnswered(Runnable action) {
        onAnswered = finished ? null : action;
        return !finished;
    }

    /** Returns what is to be done, once, without the lock. */
    @Nullable
    Runnable takeOnAnswered() {
        Runnable action = onAnswered;
        onAnswered = null;
        return action;
    }

    /** Returns false when the request is cancelled already. */
    boolean keepOnCancel(Runnable action) {
        if (cancelled && !finished) {
            return false;
        }
        onCancel = finished ? null : action;
        return true;
    }

    boolean isOn(Thread other) {
        return other.equals(thread);
    }

    void runsOn(Thread handlingThread) {
        thread = handlingThread;
        if (cancelled) {
            handlingThread.interrupt();
        }
    }

    /** Returns what is to be done, without the lock. */
    @Nullable
    Runnable cancel() {
        cancelled = true;
        if (thread != null) {
            thread.interrupt();
        }
        Runnable action = onCancel;
        onCancel = null;
        return action;
    }

    /** Returns false when it was answered before. */
    boolean answer() {
        boolean first = !answered;
        answered = true;
        return first;
    }

    /** From here on a cancellation does not interrupt any more: the handler is done. */
    void finished() {
        thread = null;
        onCancel = null;
        finished = true;
    }
}
