package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionModeRequest;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with an agent, whether it was opened new, loaded or resumed. All methods may be called from any
 * thread.
 *
 * <p>The lock guards the queue of turns and the open questions. No code of the program runs while it is held, and
 * nothing is sent under it but the cancellation of a turn, which does not block; see {@link #cancel(Turn)}.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup">Session setup</a>
 */
public final class Session implements AutoCloseable {
    /** What an event takes in memory beside its bytes. */
    private static final int EVENT_BYTES = 256;

    private final ConnectedAgent agent;
    private final SessionId id;
    private final SessionView view;
    private final SessionListeners listeners;
    private final AtomicReference<@Nullable SessionSetup> setup = new AtomicReference<>();
    private volatile Meta meta = Meta.EMPTY;

    private final ReentrantLock lock = new ReentrantLock();

    /** The running turn first, then those whose prompts wait for it. */
    @GuardedBy("lock")
    private final ArrayDeque<Turn> turns = new ArrayDeque<>();

    /** The threads that answer questions of the agent which a cancellation withdraws. */
    @GuardedBy("lock")
    private final Set<Thread> questions = new HashSet<>();

    Session(ConnectedAgent agent, SessionId id) {
        this.agent = agent;
        this.id = id;
        this.view = new SessionView(agent.keepsMessages());
        this.listeners = agent.newListeners();
    }

    /** Takes the session for whoever opens it; false when somebody has it. Until then the agent only talks of it. */
    boolean claim(SessionSetup how) {
        agent.claimed(this);
        return setup.compareAndSet(null, how);
    }

    void opened(@Nullable SessionModeState modes, List<SessionConfigOption> options, Meta responseMeta) {
        meta = responseMeta;
        view.opened(modes, options);
    }

    boolean isOpened() {
        return setup.get() != null;
    }

    /** Returns the session's id. */
    public SessionId id() {
        return id;
    }

    /** Returns the agent. */
    public ConnectedAgent agent() {
        return agent;
    }

    /**
     * Returns what the agent was told when the session was opened.
     *
     * @throws IllegalStateException for a session that was not opened here, which the agent only talks about
     */
    public SessionSetup setup() {
        SessionSetup how = setup.get();
        if (how == null) {
            throw new IllegalStateException("session " + id + " was not opened here");
        }
        return how;
    }

    /** Returns the folders that the session may work in, the working folder first; see {@link #setup()}. */
    public List<Path> roots() {
        return setup().roots();
    }

    /** Returns the working folder; see {@link #setup()}. */
    public Path cwd() {
        return setup().cwd();
    }

    /** Returns the {@code _meta} with which the agent answered when the session was opened. */
    public Meta meta() {
        return meta;
    }

    /** Returns the state of the session. */
    public SessionView view() {
        return view;
    }

    /** Registers a listener for all events from now on, in turns and outside. */
    public Subscription onEvent(Listener listener) {
        return listeners.add(listener);
    }

    // ---- prompting

    /** Sends a prompt; see {@link #prompt(List, Meta)}. */
    public Turn prompt(String text) throws InterruptedException {
        return prompt(List.of(ContentBlock.text(text)));
    }

    /** Sends a prompt; see {@link #prompt(List, Meta)}. */
    public Turn prompt(List<ContentBlock> content) throws InterruptedException {
        return prompt(content, Meta.EMPTY);
    }

    /**
     * Sends a prompt and returns at once. While another turn of this session runs, the prompt waits for its end: the
     * protocol has one turn at a time.
     *
     * @param content what to ask; not empty
     * @param data extension data of the request
     * @throws IllegalStateException when the agent does not offer to take such content, or when the session was closed,
     *     detached or deleted here
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue
     * @throws ConnectionClosedException when the agent is gone
     */
    public Turn prompt(List<ContentBlock> content, Meta data) throws InterruptedException {
        if (content.isEmpty()) {
            throw new IllegalArgumentException("a prompt needs content");
        }
        agent.requireOffered(content);
        // In this order: the end of the connection makes it unknown, too, and is told otherwise.
        if (!agent.isKnown(this) && agent.isOpen()) {
            throw new IllegalStateException("session " + id + " was closed, detached or deleted here");
        }
        Turn turn = new Turn(this, PromptRequest.of(id, List.copyOf(content)).withMeta(data));
        boolean first;
        lock.lock();
        try {
            turns.add(turn);
            first = turns.peek() == turn;
        } finally {
            lock.unlock();
        }
        if (first) {
            try {
                send(turn);
            } catch (InterruptedException | RuntimeException e) {
                ended(turn);
                throw e;
            }
        }
        return turn;
    }

    private void send(Turn turn) throws InterruptedException {
        Call call = agent.rpc()
                .start(AgentMethods.PROMPT.name(), turn.request(), AgentMethods.PROMPT.params(), done -> {
                    turn.answered(done);
                    ended(turn);
                    turn.record();
                });
        turn.sent(call);
    }

    /** A turn has ended, in the session's lane: everything before its answer has been seen. Sends the next prompt. */
    private void ended(Turn turn) {
        Turn next = end(turn, null);
        while (next != null) {
            // One that cannot be sent ends, and the one after it is tried.
            RuntimeException failure = sendWaiting(next);
            next = failure == null ? null : end(next, failure);
        }
    }

    /** Takes a turn out and ends it. Returns the turn whose prompt may be sent now, or null. */
    private @Nullable Turn end(Turn turn, @Nullable RuntimeException failure) {
        Turn next;
        lock.lock();
        try {
            boolean wasRunning = turns.peek() == turn;
            turns.remove(turn);
            next = wasRunning ? turns.peek() : null;
        } finally {
            lock.unlock();
        }
        turn.end(failure);
        return next;
    }

    /** Sends a prompt that has waited. Returns why that failed, or null. */
    private @Nullable RuntimeException sendWaiting(Turn turn) {
        try {
            send(turn);
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return new ConnectionClosedException("session/prompt: interrupted", "session/prompt", e);
        } catch (RuntimeException e) {
            return e;
        }
    }

    @Nullable
    Turn running() {
        lock.lock();
        try {
            return turns.peek();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Cancels a turn: asks the agent if it runs, takes it out if it waits. Asks under the lock, so that the next prompt
     * cannot be sent in between and be hit; that does not block.
     */
    void cancel(Turn turn) {
        boolean waited = false;
        lock.lock();
        try {
            if (turns.peek() != turn) {
                waited = turns.remove(turn);
            } else if (turn.call() != null) {
                agent.rpc()
                        .sendAtOnce(
                                AgentMethods.CANCEL.name(), CancelNotification.of(id), AgentMethods.CANCEL.params());
                turn.cancellationIsSent = true;
                withdrawQuestions();
            }
        } finally {
            lock.unlock();
        }
        if (waited) {
            turn.end(null);
        }
    }

    /** Cancels the running turn and the prompts that wait. */
    public void cancel() {
        List<Turn> all;
        lock.lock();
        try {
            all = List.copyOf(turns.reversed());
        } finally {
            lock.unlock();
        }
        for (Turn turn : all) {
            turn.cancel();
        }
    }

    // ---- changing

    /**
     * Switches the mode.
     *
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void setMode(SessionModeId mode) throws InterruptedException {
        agent.call(
                AgentMethods.SET_MODE,
                SetSessionModeRequest.of(id, mode),
                response -> apply(SessionUpdate.CurrentModeUpdate.of(mode), 0, false));
    }

    /**
     * Sets a config option.
     *
     * @return all options as they are now
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public List<SessionConfigOption> setConfigOption(SessionConfigId option, SessionConfigOptionValue value)
            throws InterruptedException {
        return agent.call(
                        AgentMethods.SET_CONFIG_OPTION,
                        SetSessionConfigOptionRequest.of(id, option, value),
                        response -> apply(SessionUpdate.ConfigOptionUpdate.of(response.configOptions()), 0, false))
                .configOptions();
    }

    /**
     * Closes the session: at the agent too, if it offers that, which cancels what runs. Terminals that were opened for
     * the session are freed.
     */
    @Override
    public void close() {
        boolean interrupted = Thread.interrupted();
        try {
            cancel();
            if (agent.isOpen() && agent.capabilities().sessionCapabilities().close() != null) {
                agent.call(AgentMethods.CLOSE_SESSION, CloseSessionRequest.of(id));
            }
        } catch (InterruptedException e) {
            interrupted = true;
        } catch (dev.acp4j.rpc.RpcException | IllegalStateException e) {
            // The session is over either way; an agent may not know it any more.
        } finally {
            detach();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Forgets the session here and leaves it open at the agent, to be loaded or resumed later. What the agent still
     * says of it goes to the client's listeners only; the result of a turn that runs can be waited for all the same.
     */
    public void detach() {
        agent.forget(this);
    }

    // ---- for the connection

    /**
     * Folds an update and tells who listens. Called in the session's lane.
     *
     * @param more whether another update is applied at once, or else {@link #tellReader()} called
     */
    void apply(SessionUpdate update, int bytes, boolean more) throws InterruptedException {
        SessionEvent event = view.fold(update);
        Turn running = running();
        if (!listeners.isEmpty()) {
            // They may take their time: the reader is not to wait for them with what is there already.
            tellReader();
            listeners.tell(this, event);
        }
        if (running != null) {
            running.offer(
                    event,
                    bytes == 0 ? 0 : bytes + EVENT_BYTES,
                    agent.rpc().limits().laneBytes(),
                    more);
        }
    }

    /** Whoever reads the running turn shall not wait for more. */
    void tellReader() {
        Turn running = running();
        if (running != null) {
            running.tellReader();
        }
    }

    /**
     * Begins to answer a question of the agent. Returns false when the agent was asked to cancel the turn: nobody is to
     * be asked then. Not before, or it would be told of the question first.
     */
    boolean beginQuestion() {
        lock.lock();
        try {
            Turn running = turns.peek();
            return (running == null || !running.cancellationIsSent) && questions.add(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    /** Returns false when the question was withdrawn meanwhile: then whatever was answered does not count. */
    boolean endQuestion() {
        boolean stands;
        lock.lock();
        try {
            stands = questions.remove(Thread.currentThread());
        } finally {
            lock.unlock();
        }
        // A cancellation that came when the question was answered already.
        boolean unused = Thread.interrupted();
        return stands;
    }

    @GuardedBy("lock")
    private void withdrawQuestions() {
        for (Thread thread : questions) {
            thread.interrupt();
        }
        questions.clear();
    }

    /** Is told what happens in a session. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Takes an event. Events of one session come one after another and in order; the session's
         * {@link Session#view()} shows the state after the event, or a later one. What an agent answers is seen only
         * after the events before it were taken, so a slow listener slows the agent down; nothing is lost.
         *
         * @param session the session
         * @param event what happened
         */
        void event(Session session, SessionEvent event);
    }

    /** Keeps a listener registered until it is closed. Closing twice does nothing. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        /** Ends the registration. Events that are on their way may still come. */
        @Override
        void close();
    }
}
