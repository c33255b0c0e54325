package dev.acp4j;

import dev.acp4j.schema.BackgroundWork;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * One session on the agent's side. Updates may be sent at any time, also outside a turn; they go to all clients that
 * are attached, and when nobody is, to nobody.
 *
 * <p>A client is attached by opening the session, also one that others have open: then the handler of
 * {@code session/load} or {@code session/resume} gets an object of its own for the same session. What it writes to that
 * object until it returns goes to this client only. Updates that come from elsewhere meanwhile, and those of a new
 * session, wait until the client has been answered.
 */
public final class AgentSession extends SessionWriter {
    private final SessionId id;
    private final SessionSetup setup;
    private final Shared shared;

    /** The client that opens the session through this object; null when it has been answered. */
    private volatile @Nullable Attachment opening;

    /** How many bytes of its setup the session keeps. Written before the session is active. */
    int keptBytes;

    private volatile Meta responseMeta = Meta.EMPTY;

    /** What all objects of one session have in common. */
    private static final class Shared {
        final AgentSessionState state;
        final AtomicLong toolCalls = new AtomicLong();
        final AtomicLong messages = new AtomicLong();

        /** How many steps that end a message the conversation has had: see {@link CurrentMessage}. */
        final AtomicLong steps = new AtomicLong();

        /** Part of all ids of a session that existed before, so that none is one of a replayed conversation. */
        final String later;

        /** What the agent and its extensions keep, by class. */
        final ConcurrentHashMap<Class<?>, Object> attachments = new ConcurrentHashMap<>(2);

        Shared(AgentSessionState state, boolean isNew) {
            this.state = state;
            this.later = isNew ? "" : Long.toString(System.currentTimeMillis(), 36) + "-";
        }
    }

    /** Creates a session that a client opens. */
    AgentSession(AgentSessions owner, SessionId id, SessionSetup setup, boolean isNew, ConnectedClient client) {
        this.id = id;
        this.setup = setup;
        AgentSessionState state = new AgentSessionState(owner, this, client);
        this.shared = new Shared(state, isNew);
        this.opening = state.begin(client, isNew);
    }

    /** Creates another object for a session to which a client is being attached. */
    AgentSession(AgentSession live, SessionSetup setup, Attachment opening) {
        this.id = live.id;
        this.setup = setup;
        this.shared = live.shared;
        this.opening = opening;
    }

    AgentSessionState state() {
        return shared.state;
    }

    @Override
    public AgentSession session() {
        return this;
    }

    @Override
    @Nullable
    AgentTurn turn() {
        return null;
    }

    @Override
    <R> R await(Answer<R> answer) throws InterruptedException {
        state().beginWait();
        try {
            return answer.get();
        } finally {
            state().endWait();
        }
    }

    /** Returns the id of the session. */
    public SessionId id() {
        return id;
    }

    /** Returns what the client said when it opened the session, its {@code _meta} included. */
    public SessionSetup setup() {
        return setup;
    }

    /** Returns the folder that relative paths are relative to; absolute. */
    public Path cwd() {
        return setup.cwd();
    }

    /** Returns all folders that the session may work in, {@link #cwd()} first; absolute. */
    public List<Path> roots() {
        return setup.roots();
    }

    /** Returns the MCP servers that the client wants the agent to use. */
    public List<McpServer> mcpServers() {
        return setup.mcpServers();
    }

    /** Returns the clients that are attached now; the first is {@link #client()}. May be empty. */
    public List<ConnectedClient> clients() {
        return state().clients();
    }

    /**
     * Returns the client that questions, files and terminals of the session concern: while a client opens it through
     * this object, that one; later the one of those attached that prompted last, or else was attached first. When
     * nobody is attached, the one that left last.
     */
    @Override
    public ConnectedClient client() {
        Attachment attachment = opening;
        return attachment == null ? state().client() : attachment.client;
    }

    /**
     * Keeps an object with the session, in the place of one of the same class: the agent and each of its extensions may
     * keep one.
     */
    public void attach(Object state) {
        shared.attachments.put(state.getClass(), state);
    }

    /**
     * Returns the object of a type that was attached.
     *
     * @throws IllegalStateException when nothing of that type was attached
     */
    public <T> T attachment(Class<T> type) {
        for (Object state : shared.attachments.values()) {
            if (type.isInstance(state)) {
                return type.cast(state);
            }
        }
        throw new IllegalStateException("session " + id + " has no " + type.getSimpleName() + " attached");
    }

    // ---- work without a prompt

    /**
     * Begins a turn of the agent's own: work that no prompt asks for, such as the next step towards a goal. It waits
     * for the turns before it, and is one in every other respect: {@link AgentTurn#prompt()} is empty, clients can
     * cancel it, and its questions end with it. Clients of version 2 are told when it begins and ends; for those of
     * version 1 its updates come between turns. Returns at once; the handler runs on a thread of its own, and what it
     * throws is reported to {@link Agent.Builder#onProblem}.
     *
     * <pre>{@code
     * session.work(turn -> turn.message("The build that you waited for is done."));
     * }</pre>
     *
     * @throws IllegalStateException when the session was closed
     */
    public void work(Agent.PromptHandler handler) {
        state().work(handler);
    }

    /**
     * Reports the work that goes on beside the turns, whole: commands and tool calls that clients have been told of.
     * Clients of version 2 show it and may wait for it; those of version 1 learn nothing of it.
     *
     * @param work what runs now; empty when nothing does
     */
    @Unstable
    public void background(List<BackgroundWork> work) {
        state().background(work);
    }

    // ---- subagents

    /**
     * Announces a subagent, a draft: a session that belongs to this one, which clients show without opening it. What it
     * says goes to the clients that know {@link Feature#SUBAGENTS}, if the agent {@linkplain Agent.Builder#supports
     * supports} them; others learn nothing of it. A handler that opens a session again announces its subagents again.
     *
     * <pre>{@code
     * AgentSubagent tests = turn.session().subagent(SessionId.of("sub-1"), "Tests");
     * tests.state(StateUpdate.Running.builder().build());
     * tests.message("All of them pass.");
     * tests.state(StateUpdate.Idle.builder().stopReason(StopReason.END_TURN).build());
     * }</pre>
     *
     * @param id an id that no other session has
     * @param title its title for people
     * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
     */
    @Unstable
    public AgentSubagent subagent(SessionId id, String title) {
        AgentSubagent subagent = new AgentSubagent(this, id);
        subagent.about(SubagentUpdate.builder(id).title(title).build());
        return subagent;
    }

    // ---- modes and options

    /** Sets the modes that the session offers. Call it while the session is being opened: they go into the response. */
    public void modes(SessionModeState modes) {
        state().modes(modes);
    }

    /** Returns the modes that the session offers and the current one, or null when it has none. */
    public @Nullable SessionModeState modes() {
        return state().modes();
    }

    /** Returns the session's config options. */
    public List<SessionConfigOption> configOptions() {
        return state().configOptions();
    }

    /** Sets the {@code _meta} of the response that opens the session. Call it while the session is being opened. */
    public void responseMeta(Meta meta) {
        responseMeta = meta;
    }

    Meta responseMeta() {
        return responseMeta;
    }

    /** Returns true when the clients are to be notified by an update. */
    boolean keepConfigOptions(List<SessionConfigOption> options) {
        state().configOptions(options);
        return opening == null;
    }

    ToolCallId nextToolCallId() {
        return ToolCallId.of("call-" + shared.later + shared.toolCalls.incrementAndGet());
    }

    MessageId nextMessageId() {
        return MessageId.of("msg-" + shared.later + shared.messages.incrementAndGet());
    }

    @Override
    long steps() {
        return shared.steps.get();
    }

    @Override
    void step() {
        shared.steps.incrementAndGet();
    }

    // ---- updates

    /** @param about this session, or that of a subagent */
    void send(SessionId about, SessionUpdate update, Meta meta, @Nullable AgentTurn turn) throws InterruptedException {
        state().send(about, update, meta, replay(), turn);
    }

    /** Returns the only client that updates go to now; null when they go to all. */
    private @Nullable Attachment replay() {
        Attachment attachment = opening;
        // A client does not know the id of a new session yet.
        return attachment == null || attachment.isNew ? null : attachment;
    }

    /** Returns the client that opens the session through this object, or null. */
    @Nullable
    Attachment opening() {
        return opening;
    }

    /** The client is about to be answered. Returns false when it was detached. */
    boolean opened(Attachment attachment) throws InterruptedException {
        opening = null;
        boolean isToldState = !attachment.isNew && attachment.client.version() != Version.V1;
        return isToldState ? state().openedWithState(attachment) : state().opened(attachment);
    }
}
