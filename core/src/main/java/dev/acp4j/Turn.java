package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Step;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * One prompt and the agent's work on it, on the client's side. Iterate to read the events in order; the loop ends when
 * the turn ends. {@link #result()} and {@link #text()} wait for the end. Closing a turn that has not ended cancels it.
 * Thread-safe; all methods may also be called in a listener or handler of the connection.
 *
 * <p>Unread events are kept up to the connection's {@link dev.acp4j.rpc.Limits#laneBytes()}. Beyond that limit, a turn
 * that is being read applies back-pressure to the agent. If nobody has begun to iterate, the events are discarded, and
 * a later iteration begins with {@link SessionEvent.Missed}. Listeners and the view of the session get all events.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public final class Turn implements Iterable<SessionEvent>, AutoCloseable {
    private final Session session;
    private final List<ContentBlock> prompt;
    private final ClientDialect dialect;
    private final Call call;
    private final TurnEvents events;
    private final End end;
    private final long begun;

    /** The extension data with which the client has cancelled the turn; null while it has not. */
    private final AtomicReference<@Nullable Meta> cancelled = new AtomicReference<>();

    /** How far the turn is. Guarded by the lock of the session's state. */
    SessionState.Phase phase = SessionState.Phase.WAITING;

    // Written before the end is placed, read after.
    private boolean wasSent;
    private @Nullable RuntimeException failure;
    private @Nullable TurnResult result;

    /** The first number that an entry of the turn can have in the timeline, and the first that none can have. */
    private long from = 1;

    private long to = 1;

    // What is known of an accepted prompt before its answer. Guarded by the lock of the session's state.

    /** The latest message of the user since the prompt was sent. */
    @Nullable
    MessageId lastMessage;

    /** How work ended, by the message of the user that it began with. */
    final Map<MessageId, Outcome> early = new HashMap<>();

    /**
     * How a turn ended.
     *
     * @param result what the agent says, or null
     * @param failure why the agent says nothing of it, or null; with neither, the prompt was withdrawn
     * @param told what notifies listeners of the update that ended the turn, or null
     */
    record Outcome(@Nullable TurnResult result, @Nullable RuntimeException failure, Handler.@Nullable Delivery told) {
        static final Outcome WITHDRAWN = new Outcome(TurnResult.CANCELLED, null, null);

        static Outcome failed(RuntimeException why) {
            return new Outcome(null, why, null);
        }
    }

    Turn(Session session, List<ContentBlock> prompt, Meta meta) {
        Connection connection = session.agent().rpc();
        this.session = session;
        this.dialect = session.agent().dialect();
        this.prompt = List.copyOf(prompt);
        this.begun = session.agent().now();
        this.events = new TurnEvents(this, connection);
        this.end = new End(connection, session.id().value());
        this.call = dialect.prompt(session.id(), this.prompt, meta).prepare(connection, answered -> {
            dialect.promptAnswered(this, answered);
            return null;
        });
    }

    /** Returns the session. */
    public Session session() {
        return session;
    }

    /** Returns the prompt. */
    public List<ContentBlock> prompt() {
        return prompt;
    }

    // ---- reading

    /**
     * Returns the events; can be called once. {@code hasNext()} blocks until there is an event or the turn has ended.
     * If the thread is interrupted while it waits, the turn is cancelled, {@code hasNext()} throws
     * {@link java.util.concurrent.CancellationException}, and the thread stays interrupted.
     *
     * @throws IllegalStateException when called twice, or after {@link #close()}
     */
    @Override
    public Iterator<SessionEvent> iterator() {
        events.beginReading();
        return events;
    }

    /**
     * Waits for the end of the turn. Returns only after every update of the turn has been delivered to listeners.
     * Unread events can still be read by another thread; if the calling thread is the one that iterates, they are
     * discarded.
     *
     * @return how the turn ended
     * @throws InterruptedException when interrupted; the turn is cancelled
     * @throws dev.acp4j.rpc.WouldDeadlockException when called in a listener or handler of this connection that
     *     prevents the end of the turn from being read
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public TurnResult result() throws InterruptedException {
        events.discardIfOwn();
        try {
            end.join();
        } catch (InterruptedException e) {
            cancel();
            throw e;
        }
        return outcome();
    }

    private TurnResult outcome() {
        if (failure != null) {
            throw failure;
        }
        return Objects.requireNonNull(result);
    }

    /**
     * Waits for the end of the turn and returns the text of the agent's messages in it.
     *
     * @throws IllegalStateException when the client does not {@linkplain Client.Builder#keepsMessages keep} messages,
     *     or the beginning was dropped because the session's view takes more than
     *     {@link dev.acp4j.rpc.Limits#viewBytes()}
     * @throws InterruptedException when interrupted; the turn is cancelled
     * @throws dev.acp4j.rpc.RpcException when the agent answered with an error, or is gone
     */
    public String text() throws InterruptedException {
        if (!session.agent().keepsMessages()) {
            throw new IllegalStateException("this client keeps no messages: see Client.Builder.keepsMessages");
        }
        TurnResult unused = result();
        return session.view().timeline().agentText(from, to);
    }

    /** Returns true when the turn has ended. */
    public boolean isDone() {
        return end.isDone();
    }

    // ---- ending

    /**
     * Asks the agent to end the turn; open permission requests are answered with <em>cancelled</em>. The turn continues
     * until the agent confirms: continue to iterate, or call {@link #result()}. Has no effect when the turn has ended.
     */
    public void cancel() {
        cancel(Meta.EMPTY);
    }

    /**
     * Asks the agent to end the turn; see {@link #cancel()}.
     *
     * @param meta the {@code _meta} of the notification
     */
    public void cancel(Meta meta) {
        if (cancelled.compareAndSet(null, Objects.requireNonNull(meta, "meta is null"))) {
            session.state().change(this, SessionState.Input.CANCEL, Outcome.WITHDRAWN);
        }
    }

    /** Cancels the turn if it has not ended, and discards unread events. Does not wait. */
    @Override
    public void close() {
        events.discardAll();
        cancel();
    }

    // ---- for the session

    boolean isCancelled() {
        return cancelled.get() != null;
    }

    /** Returns whether the agent works on a prompt from the moment it is sent, without accepting it first. */
    boolean isAcceptedWhenSent() {
        return dialect.isAcceptedWhenSent();
    }

    /** Waits until the prompt may be sent. */
    void awaitRoom() throws InterruptedException {
        call.awaitRoom();
    }

    void send() {
        from = session.view().timeline().turnBegins(dialect.isAcceptedWhenSent() ? prompt : null);
        Call unused = call.send();
        wasSent = true;
    }

    /**
     * Returns why the turn has ended without its prompt being sent, or null. Called with the lock of the state held.
     */
    @Nullable
    RuntimeException whyNotSent() {
        return phase == SessionState.Phase.ENDED && !wasSent ? failure : null;
    }

    void cancelPrompt() {
        call.cancel();
    }

    void askToCancel() {
        dialect.cancel(session, Objects.requireNonNullElse(cancelled.get(), Meta.EMPTY));
        session.view().timeline().turnCancelled();
    }

    /** The agent works on the prompt, and will say later that it is done: unless the connection ends before. */
    void expectEnd() {
        if (!session.agent().rpc().expect(end)) {
            failed(new ConnectionClosedException("the connection has ended", AgentMethods.PROMPT.name(), null));
        }
    }

    void add(SessionEvent event, int bytes) throws InterruptedException {
        events.add(event, bytes);
    }

    // ---- what the dialect reads in the answer to the prompt

    void ended(TurnResult how) {
        session.state().change(this, SessionState.Input.END, new Outcome(how, null, null));
    }

    void failed(RuntimeException why) {
        session.state().change(this, SessionState.Input.END, Outcome.failed(why));
    }

    /** The agent has taken the prompt, which became this message. It may have ended that work already. */
    void accepted(MessageId message) {
        session.state().accepted(this, message);
    }

    // ---- the end

    /** The turn has ended: places its end behind everything that was read before. */
    void end(Outcome how) {
        failure = how.failure();
        result = how.result();
        end.told = how.told();
        try {
            showEnd();
        } catch (OutOfMemoryError e) {
            // The threads that wait for the end are woken all the same, and may free memory.
        }
        to = wasSent ? session.view().timeline().nextNumber() : from;
        events.end();
        session.agent().rpc().place(end);
    }

    /** A prompt that was withdrawn before it was sent has no turn that anybody could see. */
    private void showEnd() {
        Timeline timeline = session.view().timeline();
        if (failure != null) {
            timeline.turnFailed(failure);
        } else if (wasSent && result != null) {
            timeline.turnEnded(result);
        }
    }

    /** The end of the turn, in the order of the wire. */
    private final class End extends Step {
        Handler.@Nullable Delivery told;

        End(Connection connection, String session) {
            super(connection, session);
        }

        @Override
        protected String name() {
            return AgentMethods.PROMPT.name();
        }

        @Override
        protected boolean mayEndAnywhere() {
            return told == null;
        }

        @Override
        protected void abandoned(RpcException why) {
            failed(why);
        }

        @Override
        protected void delivered() throws Exception {
            if (told != null) {
                told.deliver();
            }
            if (wasSent && FlightRecorder.isInitialized()) {
                TurnFlightEvent.commit(
                        "client",
                        session.id().value(),
                        reason(),
                        session.agent().now() - begun);
            }
        }

        private String reason() {
            try {
                return String.valueOf(outcome().stopReason());
            } catch (RpcException e) {
                return "";
            }
        }
    }
}
