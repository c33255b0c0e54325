package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Call;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.StopReason;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One prompt and what the agent does about it. Iterate to read the events in order; the loop ends when the turn ends. Or
 * call {@link #result()} or {@link #text()}, which wait for the end and let the events pass. Closing a turn that has not
 * ended cancels it.
 *
 * <p>Events that nobody has read yet are kept, up to the connection's {@link dev.acp4j.rpc.Limits#laneBytes()}; beyond
 * that the agent is slowed down until they are read.
 *
 * <p>The lock guards the queue of events and how far the turn is. It is not held while anything is sent or called back.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public final class Turn implements Iterable<SessionEvent>, AutoCloseable {
    private record Queued(SessionEvent event, int bytes) {}

    private final Session session;
    private final List<ContentBlock> prompt;
    private final StringBuilder text = new StringBuilder();

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private final ArrayDeque<Queued> events = new ArrayDeque<>();

    @GuardedBy("lock")
    private long queuedBytes;

    /** Whether events are kept for a reader; not when somebody waits for the end only. */
    @GuardedBy("lock")
    private boolean keeping = true;

    @GuardedBy("lock")
    private boolean iterated;

    @GuardedBy("lock")
    private @Nullable Call call;

    @GuardedBy("lock")
    private boolean cancelled;

    @GuardedBy("lock")
    private boolean ended;

    @GuardedBy("lock")
    private @Nullable RuntimeException failure;

    Turn(Session session, List<ContentBlock> prompt) {
        this.session = session;
        this.prompt = prompt;
    }

    /** Returns the session. */
    public Session session() {
        return session;
    }

    /** Returns what was asked. */
    public List<ContentBlock> prompt() {
        return prompt;
    }

    // ---- reading

    /**
     * Returns the events, once. {@code hasNext()} blocks until there is one or the turn has ended; if the thread is
     * interrupted meanwhile, the turn is cancelled, the thread stays interrupted and {@link CancellationException} is thrown.
     *
     * @throws IllegalStateException when called twice, or after the events were let pass
     */
    @Override
    public Iterator<SessionEvent> iterator() {
        lock.lock();
        try {
            if (iterated || !keeping) {
                throw new IllegalStateException("the events of a turn can be read once");
            }
            iterated = true;
        } finally {
            lock.unlock();
        }
        return new Events();
    }

    private final class Events implements Iterator<SessionEvent> {
        @Override
        public boolean hasNext() {
            lock.lock();
            try {
                while (events.isEmpty() && !ended) {
                    changed.await();
                }
                return !events.isEmpty();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                lock.unlock();
            }
            cancel();
            throw new CancellationException("interrupted while reading a turn");
        }

        @Override
        public SessionEvent next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            lock.lock();
            try {
                Queued next = events.remove();
                queuedBytes -= next.bytes;
                changed.signalAll();
                return next.event;
            } finally {
                lock.unlock();
            }
        }
    }

    /**
     * Waits for the end of the turn. Events that nobody has read by then can still be read if iterating began before.
     *
     * @return the response, with the stop reason
     * @throws InterruptedException when interrupted; the turn goes on
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public PromptResponse result() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (!iterated) {
                letPass();
            }
            while (!ended) {
                changed.await();
            }
            if (failure != null) {
                throw failure;
            }
            if (call == null) {
                return PromptResponse.of(StopReason.CANCELLED);
            }
            return call.result(AgentMethods.PROMPT.result());
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits for the end of the turn and returns the text of the agent's messages in it.
     *
     * @throws InterruptedException when interrupted; the turn goes on
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public String text() throws InterruptedException {
        result();
        lock.lock();
        try {
            return text.toString();
        } finally {
            lock.unlock();
        }
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
     * Asks the agent to end the turn; open questions for permission are answered <em>cancelled</em>. The turn goes on until
     * the agent confirms: read on, or call {@link #result()}. Does nothing when the turn has ended.
     */
    public void cancel() {
        boolean sent;
        lock.lock();
        try {
            if (ended || cancelled) {
                return;
            }
            cancelled = true;
            sent = call != null;
        } finally {
            lock.unlock();
        }
        if (sent) {
            session.sendCancel();
        } else {
            session.withdraw(this);
        }
    }

    /** Cancels the turn if it has not ended. Does not wait. */
    @Override
    public void close() {
        lock.lock();
        try {
            letPass();
        } finally {
            lock.unlock();
        }
        cancel();
    }

    @GuardedBy("lock")
    private void letPass() {
        keeping = false;
        events.clear();
        queuedBytes = 0;
        changed.signalAll();
    }

    // ---- for the session

    boolean isCancelled() {
        lock.lock();
        try {
            return cancelled;
        } finally {
            lock.unlock();
        }
    }

    void sent(Call value) {
        boolean cancelNow;
        lock.lock();
        try {
            call = value;
            cancelNow = cancelled;
        } finally {
            lock.unlock();
        }
        if (cancelNow) {
            session.sendCancel();
        }
    }

    /** Takes an event; waits while too much is unread. */
    void offer(SessionEvent event, int bytes, long limit) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            if (event instanceof SessionEvent.Message message) {
                text.append(message.text());
            }
            while (keeping && queuedBytes > 0 && queuedBytes + bytes > limit && !ended) {
                changed.await();
            }
            if (keeping) {
                events.add(new Queued(event, bytes));
                queuedBytes += bytes;
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
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
    }
}
