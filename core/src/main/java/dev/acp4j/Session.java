package dev.acp4j;

import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.CancelTerminalRequest;
import dev.acp4j.schema.CancelTerminalResponse;
import dev.acp4j.schema.CancelToolCallRequest;
import dev.acp4j.schema.CancelToolCallResponse;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with an agent, on the client's side. It was opened new, loaded or resumed. Thread-safe.
 *
 * <p>{@link ConnectedAgent#newSession}, {@link ConnectedAgent#loadSession} and {@link ConnectedAgent#resumeSession}
 * open one. Each {@link #prompt} is a {@link Turn}, which is read as it arrives, or at its end as a whole:
 *
 * <pre>{@code
 * for (var event : turn) if (event instanceof SessionEvent.Message message) System.out.print(message.text());
 * System.out.println(" [" + turn.result().stopReason() + "]");
 * }</pre>
 *
 * <p>{@link #view()} is the state of the conversation: messages, tool calls, plans, options, in one
 * {@link SessionView#timeline() timeline}. {@link #onEvent} reports what happens between turns too. A session that was
 * loaded has the earlier conversation in its view:
 *
 * <pre>{@code
 * for (var stored : agent.listSessions(folder)) {
 *     try (var session = agent.loadSession(stored.sessionId(), folder)) {
 *         System.out.println(session.view().messages().size() + " messages so far");
 *         System.out.println(session.prompt("Where were we?").text());
 *     }
 *     return;
 * }
 * }</pre>
 *
 * <p>{@link #close()} closes the session at the agent if that supports it; {@link #detach()} leaves it open there.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup">Session setup</a>
 */
public final class Session implements AutoCloseable {
    /** What an event takes in memory beside its message and what was read from that. */
    private static final int EVENT_BYTES = 256;

    /**
     * How much memory a decoded update takes, as a multiple of its bytes, with its message. Lists of short texts take
     * up to twice this.
     */
    private static final int DECODED = 9;

    private final ConnectedAgent agent;
    private final SessionId id;
    private final SessionView view;
    private final SessionListeners listeners;
    private final AtomicReference<@Nullable SessionSetup> setup = new AtomicReference<>();
    private volatile Meta meta = Meta.EMPTY;

    /** The session that this one belongs to, if it is that of a subagent. */
    private volatile @Nullable Session parent;

    /** The sessions of its subagents, in the order in which they were announced. */
    private final CopyOnWriteArrayList<Session> subagents = new CopyOnWriteArrayList<>();

    /** Whether a subagent can be cancelled. */
    private volatile boolean cancellable;

    private final SessionState state;

    Session(ConnectedAgent agent, SessionId id) {
        this.agent = agent;
        this.id = id;
        this.view = new SessionView(
                agent.keepsMessages(),
                agent.version() != Version.V1,
                agent.rpc().limits().viewBytes());
        this.listeners = agent.newListeners();
        this.state = new SessionState(view);
    }

    /** Claims the session for the caller that opens it; false when it is claimed already. */
    boolean claim(SessionSetup how) {
        agent.claimed(this);
        return setup.compareAndSet(null, how);
    }

    /** The agent has opened the session. Returns a report, if there is one to be made. */
    Handler.@Nullable Delivery opened(ClientDialect.Opened how) {
        meta = how.meta();
        view.opened(how);
        Handler.Delivery report = null;
        for (Entry.Subagent early : view.timeline().entries(Entry.Subagent.class)) {
            Handler.Delivery full = agent.subagent(this, early);
            report = full == null ? report : full;
        }
        return report;
    }

    boolean isOpened() {
        return setup.get() != null;
    }

    /** The session is one of a subagent. Its folders are those of its parent, unless the agent says otherwise. */
    void belongsTo(Session owner, Entry.Subagent about) {
        SessionSetup theirs = owner.setup();
        Path folder = absolute(about.cwd());
        List<Path> more = new ArrayList<>();
        List<String> given = about.additionalDirectories();
        for (String one : given == null ? List.<String>of() : given) {
            Path path = absolute(one);
            if (path != null) {
                more.add(path);
            }
        }
        cancellable = about.isCancellable();
        parent = owner;
        boolean unused = owner.subagents.addIfAbsent(this);
        setup.set(new SessionSetup(
                folder == null ? theirs.cwd() : folder,
                given == null ? theirs.additionalDirectories() : more,
                List.of(),
                null,
                Meta.EMPTY));
    }

    /** Returns null for a path that is none, or relative: it counts as absent. */
    private static @Nullable Path absolute(@Nullable String text) {
        try {
            Path path = text == null ? null : Path.of(text);
            return path != null && path.isAbsolute() ? path : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** The session of a subagent is detached. */
    void leaveParent() {
        Session owner = parent;
        if (owner != null) {
            owner.subagents.remove(this);
        }
    }

    boolean isSubagent() {
        return parent != null;
    }

    private void requireOwn() {
        if (parent != null) {
            throw new IllegalStateException("session " + id + " is that of a subagent, which its agent directs");
        }
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
     * Returns the folders and MCP servers with which the session was opened.
     *
     * @throws IllegalStateException for a session that this client has not opened, of which the agent sends updates
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

    /**
     * Returns the sessions of its subagents, in the order in which the agent announced them; a draft. This client has
     * not opened them: it sees what they do and answers their questions, but methods that prompt or change them throw
     * {@link IllegalStateException}, except for {@link #cancel()} if the agent
     * {@linkplain Entry.Subagent#isCancellable() allows} it. They stay when the subagent has ended, and are detached
     * with this session, or alone by {@link #close()}. A connection has 256 of them at most; the first that is left out
     * is reported to {@link Client.Builder#onProblem}.
     */
    @Unstable
    public List<Session> subagents() {
        return List.copyOf(subagents);
    }

    /** Returns the session that this one belongs to; empty unless it is that of a subagent. */
    @Unstable
    public Optional<Session> parent() {
        return Optional.ofNullable(parent);
    }

    /** Returns the state of the session, with all updates merged. */
    public SessionView view() {
        return view;
    }

    /** Registers a listener for all later events, in turns and between them. */
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
     * Sends a prompt and returns at once. If another turn of this session is running, the prompt is queued until that
     * turn ends, because the protocol allows one turn at a time.
     *
     * @param content the prompt; not empty
     * @param data extension data of the request
     * @throws UnsupportedException when the agent does not support such content
     * @throws IllegalStateException when the session was closed, detached or deleted by this client
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue
     * @throws ConnectionClosedException when the agent is gone
     */
    public Turn prompt(List<ContentBlock> content, Meta data) throws InterruptedException {
        if (content.isEmpty()) {
            throw new IllegalArgumentException("a prompt needs content");
        }
        requireOwn();
        agent.requireOffered(content);
        // In this order: the end of the connection also makes it unknown, and has an exception of its own.
        if (!agent.isKnown(this) && agent.isOpen()) {
            throw new IllegalStateException("session " + id + " was closed, detached or deleted here");
        }
        Turn turn = new Turn(this, content, data);
        if (state.running() == null) {
            turn.awaitRoom();
        }
        RuntimeException failure = state.add(turn);
        if (failure != null) {
            throw failure;
        }
        return turn;
    }

    SessionState state() {
        return state;
    }

    /**
     * Cancels the running turn and the queued prompts.
     *
     * @throws IllegalStateException for a subagent that cannot be cancelled; nothing was sent
     */
    public void cancel() {
        cancel(Meta.EMPTY);
    }

    /**
     * Cancels the running turn and the queued prompts.
     *
     * @param data the {@code _meta} of the notification
     */
    public void cancel(Meta data) {
        if (isSubagent()) {
            if (!cancellable) {
                throw new IllegalStateException("subagent " + id + " cannot be cancelled");
            }
            agent.dialect().cancel(this, data);
            return;
        }
        for (Turn turn : state.newestFirst()) {
            turn.cancel(data);
        }
    }

    /**
     * Asks the agent to end one tool call, and nothing else; returns when it has accepted that. Its end comes as an
     * update. Only version 2 of the protocol has this.
     *
     * @throws IllegalStateException when the tool call cannot be cancelled now, see
     *     {@link Entry.ToolCall#isCancellable()}; nothing was sent
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void cancel(ToolCallId call) throws InterruptedException {
        requireOwn();
        boolean can = view.toolCall(call).map(Entry.ToolCall::isCancellable).orElse(false);
        if (!can) {
            throw new IllegalStateException("tool call " + call + " cannot be cancelled now");
        }
        CancelToolCallResponse unused = agent.call(AgentMethods.CANCEL_TOOL_CALL, CancelToolCallRequest.of(id, call));
    }

    /**
     * Asks the agent to end the command in one of its terminals; see {@link #cancel(ToolCallId)}.
     *
     * @throws IllegalStateException when that cannot be done now, see {@link Entry.Terminal#isCancellable()}
     */
    public void cancel(TerminalId terminal) throws InterruptedException {
        requireOwn();
        boolean can = view.terminal(terminal).map(Entry.Terminal::isCancellable).orElse(false);
        if (!can) {
            throw new IllegalStateException("terminal " + terminal + " cannot be cancelled now");
        }
        CancelTerminalResponse unused =
                agent.call(AgentMethods.CANCEL_TERMINAL, CancelTerminalRequest.of(id, terminal));
    }

    // ---- steering

    /** What became of what was said into a running turn. */
    public enum Steered {
        /** The running turn takes it up. */
        INJECTED,
        /** No turn was running: the agent has begun one with it, whose updates come to listeners. */
        NEW_TURN,
        /** The agent did not take it: prompt it. */
        NOT_TAKEN
    }

    /**
     * Says something into the running turn, which goes on: "use the other library". Nothing is cancelled, and nothing
     * is sent again. The turn's own updates show what the agent makes of it.
     *
     * <pre>{@code
     * if (agent.supports(Feature.STEERING)) {
     *     session.steer("Leave the tests alone");
     * }
     * }</pre>
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public Steered steer(String text) throws InterruptedException {
        return steer(List.of(ContentBlock.text(text)), Meta.EMPTY);
    }

    /**
     * Says something into the running turn; see {@link #steer(String)}.
     *
     * @param data the {@code _meta} of the request
     */
    public Steered steer(List<ContentBlock> content, Meta data) throws InterruptedException {
        requireOwn();
        agent.require(true, Feature.STEERING);
        agent.requireOffered(content);
        return VendorDialect.steered(agent.call(VendorDialect.STEERING, VendorDialect.steer(id, content, data)));
    }

    // ---- changing

    /**
     * Sets a config option. The mode of a session is always an option; for an agent that has modes but no such option,
     * this switches the mode.
     *
     * @return all options with their current values
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public List<SessionConfigOption> setConfigOption(SessionConfigId option, SessionConfigOptionValue value)
            throws InterruptedException {
        return setConfigOption(option, value, Meta.EMPTY);
    }

    /**
     * Sets a config option; see {@link #setConfigOption(SessionConfigId, SessionConfigOptionValue)}.
     *
     * @param data the {@code _meta} of the request
     */
    public List<SessionConfigOption> setConfigOption(SessionConfigId option, SessionConfigOptionValue value, Meta data)
            throws InterruptedException {
        requireOwn();
        agent.dialect().setConfigOption(this, option, value, data);
        return view.configOptions();
    }

    /**
     * Sets a config option to one of its values; see {@link #setConfigOption(SessionConfigId,
     * SessionConfigOptionValue)}.
     */
    public List<SessionConfigOption> setConfigOption(String option, String value) throws InterruptedException {
        return setConfigOption(SessionConfigId.of(option), SessionConfigOptionValue.of(SessionConfigValueId.of(value)));
    }

    /**
     * Cancels all turns and closes the session, also at the agent if it supports that. Terminals of the session are
     * released. An error of the agent is ignored. The session of a subagent is detached only.
     */
    @Override
    public void close() {
        close(Meta.EMPTY);
    }

    /**
     * Cancels all turns and closes the session; see {@link #close()}.
     *
     * @param data the {@code _meta} of the request
     */
    public void close(Meta data) {
        if (isSubagent()) {
            detach();
            return;
        }
        boolean interrupted = Thread.interrupted();
        try {
            cancel();
            if (agent.isOpen() && agent.supports(Feature.CLOSE_SESSION)) {
                agent.call(agent.dialect().closeSession(id, data));
                agent.dialect().closed(this);
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
     * Detaches the session from this client and leaves it open at the agent, to be loaded or resumed later. Later
     * updates go to the client's listeners only. The result of a running turn can still be waited for.
     */
    public void detach() {
        agent.forget(this);
    }

    // ---- for the connection

    /**
     * Something has been folded into the view, in the order of the wire. Waits while the reader of the running turn has
     * too much unread.
     *
     * @return what notifies the listeners in the session's lane; null when there are none
     */
    Handler.@Nullable Delivery happened(SessionEvent event) throws InterruptedException {
        Turn running = state.running();
        if (running != null) {
            running.add(event, weight(event.origin().bytes()));
        }
        return listeners.isEmpty() ? null : new Notification(event);
    }

    private static int weight(int bytes) {
        return bytes == 0 ? 0 : (int) Math.min(Integer.MAX_VALUE, (long) DECODED * bytes + EVENT_BYTES);
    }

    /** Notifies the listeners of an event. */
    private final class Notification implements Handler.Delivery {
        private final SessionEvent event;

        Notification(SessionEvent event) {
            this.event = event;
        }

        @Override
        public void deliver() {
            listeners.notify(Session.this, event);
        }

        @Override
        public int weight() {
            return DECODED;
        }
    }

    /** Is notified of the events of a session. */
    @FunctionalInterface
    public interface Listener {
        /**
         * Is called for each event of a session, one after another and in order. {@link Session#view()} shows the state
         * after the event, or a later one. An answer of the agent is delivered after the events before it, so a slow
         * listener applies back-pressure to the agent; no event is lost.
         *
         * @param session the session
         * @param event what happened
         */
        void event(Session session, SessionEvent event);
    }

    /** The registration of a listener, until it is closed. Closing twice has no effect. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        /** Ends the registration. Events that are being delivered may still arrive. */
        @Override
        void close();
    }
}
