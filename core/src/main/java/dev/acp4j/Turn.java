package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.StopReason;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One prompt and what the agent does about it. Iterate to read the events in order; the loop ends when the turn ends.
 * Or call {@link #result()} or {@link #text()}, which wait for the end and let the events pass. Closing a turn that has
 * not ended cancels it.
 *
 * <p>Events that have not been read yet are kept, up to the connection's {@link dev.acp4j.rpc.Limits#laneBytes()};
 * beyond that the agent is slowed down until they are read. If by then nobody has begun to read, they pass unread; the
 * session's listeners and its view have them all.
 *
 * <p>The lock guards how far the turn is. It is not held while anything is sent or called back.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public final class Turn implements Iterable<SessionEvent>, AutoCloseable {
    private final Session session;
    private final PromptRequest request;
    private final TurnEvents events;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    private final long begun;
    private volatile @Nullable Call call;
    private volatile boolean cancelled;

    /** Whether the agent was asked to cancel the turn. Guarded by the lock of the session. */
    boolean cancellationIsSent;

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private @Nullable RuntimeException failure;

    Turn(Session session, PromptRequest request) {
        this.session = session;
        this.request = request;
        this.begun = session.agent().now();
        this.events = new TurnEvents(this, session.agent().keepsMessages());
    }

    /** Returns the session. */
    public Session session() {
        return session;
    }

    /** Returns what was asked. */
    public List<ContentBlock> prompt() {
        return request.prompt();
    }

    PromptRequest request() {
        return request;
    }

    // ---- reading

    /**
     * Returns the events, once. {@code hasNext()} blocks until there is one or the turn has ended; if the thread is
     * interrupted meanwhile, the turn is cancelled, the thread stays interrupted and
     * {@link java.util.concurrent.CancellationException} is thrown.
     *
     * @throws IllegalStateException when called twice, or after the events were let pass
     */
    @Override
    public Iterator<SessionEvent> iterator() {
        events.beginReading();
        return events;
    }

    /**
     * Waits for the end of the turn. Events that nobody has read by then pass unread, unless another thread reads them.
     *
     * @return how the turn ended
     * @throws InterruptedException when interrupted; the turn is cancelled
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public TurnResult result() throws InterruptedException {
        try {
            awaitEnd();
        } catch (InterruptedException e) {
            cancel();
            throw e;
        }
        RuntimeException why;
        lock.lock();
        try {
            why = failure;
        } finally {
            lock.unlock();
        }
        if (why != null) {
            throw why;
        }
        return resultOf(call);
    }

    private static TurnResult resultOf(@Nullable Call sent) {
        if (sent == null) {
            return new TurnResult(StopReason.CANCELLED, Meta.EMPTY);
        }
        PromptResponse response = sent.result(AgentMethods.PROMPT.result());
        return new TurnResult(response.stopReason(), response.meta());
    }

    /**
     * Waits through the call, not here: the connection knows how to wait where the answer stands behind the very
     * handler that waits for it. A turn whose prompt has not been sent waits through the turn before it.
     */
    private void awaitEnd() throws InterruptedException {
        events.letPassUnlessRead();
        Call through;
        while (!isDone() && (through = awaitCallToWaitThrough()) != null) {
            through.join();
        }
        lock.lockInterruptibly();
        try {
            while (!ended) {
                changed.await();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the call of the turn that runs, perhaps one before this, as soon as it was sent; null if none runs. */
    @Nullable
    Call awaitCallToWaitThrough() throws InterruptedException {
        Turn running;
        while ((running = session.running()) != null) {
            Call sent = running.awaitSent();
            if (sent != null) {
                return sent;
            }
        }
        return null;
    }

    /**
     * Waits for the end of the turn and returns the text of the agent's messages in it.
     *
     * @throws IllegalStateException when the client does not {@linkplain Client.Builder#keepsMessages keep} messages
     * @throws InterruptedException when interrupted; the turn is cancelled
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public String text() throws InterruptedException {
        if (!session.agent().keepsMessages()) {
            throw new IllegalStateException("this client keeps no messages: see Client.Builder.keepsMessages");
        }
        result();
        return events.text();
    }

    /** Returns true when the turn has ended. */
    public boolean isDone() {
        lock.lock();
        try {
            return ended;
        } finally {
            lock.unlock();
        }
    }

    // ---- ending

    /**
     * Asks the agent to end the turn; open questions for permission are answered <em>cancelled</em>. The turn goes on
     * until the agent confirms: read on, or call {@link #result()}. Does nothing when the turn has ended.
     */
    public void cancel() {
        lock.lock();
        try {
            if (ended || cancelled) {
                return;
            }
            cancelled = true;
        } finally {
            lock.unlock();
        }
        session.cancel(this);
    }

    /** Cancels the turn if it has not ended. Does not wait. */
    @Override
    public void close() {
        events.letPass();
        cancel();
    }

    // ---- for the session

    boolean isCancelled() {
        return cancelled;
    }

    @Nullable
    Call call() {
        return call;
    }

    /** Waits until the prompt was sent; null when the turn ended without that. */
    private @Nullable Call awaitSent() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (call == null && !ended) {
                changed.await();
            }
            return call;
        } finally {
            lock.unlock();
        }
    }

    void sent(Call value) {
        lock.lock();
        try {
            call = value;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        if (cancelled) {
            session.cancel(this);
        }
    }

    /** Remembers the call whose answer is there, even if it came before {@link #sent}. */
    void answered(Call value) {
        lock.lock();
        try {
            call = value;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Takes an event; waits while too much is unread. */
    void offer(SessionEvent event, int bytes, long limit, boolean more) throws InterruptedException {
        events.offer(event, bytes, limit, more);
    }

    /** What was offered shall not wait for what is offered next. */
    void tellReader() {
        events.tellReader();
    }

    /** The turn has ended with an answer: tells the flight recorder. */
    void record() {
        if (!FlightRecorder.isInitialized()) {
            return;
        }
        String reason;
        try {
            reason = String.valueOf(resultOf(call).stopReason());
        } catch (RpcException e) {
            reason = "";
        }
        TurnFlightEvent.commit(
                "client", session.id().value(), reason, session.agent().now() - begun);
    }

    void end(@Nullable RuntimeException why) {
        lock.lock();
        try {
            ended = true;
            failure = why;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        events.end();
    }
}
