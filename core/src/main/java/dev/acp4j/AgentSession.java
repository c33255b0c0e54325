package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.ToolCallId;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One session on the agent's side. Updates may be sent at any time, also outside a turn; those sent while a new session
 * is being opened wait until the client knows its id.
 *
 * <p>The lock guards the queue of turns, the held updates and what the session offers. It is not held while handlers
 * run or anything is sent.
 */
public final class AgentSession extends SessionWriter {
    private final SessionId id;
    private final SessionSetup setup;
    private final ConnectedClient client;
    private final AtomicLong toolCalls = new AtomicLong();

    /** How many bytes of its setup the session keeps. Written before anybody else sees the session. */
    int keptBytes;

    /** Not the one that a replayed conversation used. */
    private final String toolCallPrefix;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** The running turn first, then those that wait for it. */
    @GuardedBy("lock")
    private final ArrayDeque<AgentTurn> turns = new ArrayDeque<>();

    /** Updates that wait for the response which tells the client the session's id; null when nothing is held. */
    @GuardedBy("lock")
    private @Nullable List<SessionUpdate> held;

    @GuardedBy("lock")
    private boolean opening = true;

    /** Threads that are sending something of this session just now. */
    @GuardedBy("lock")
    private int senders;

    @GuardedBy("lock")
    private boolean closed;

    @GuardedBy("lock")
    private @Nullable SessionModeState modes;

    @GuardedBy("lock")
    private List<SessionConfigOption> configOptions = List.of();

    @GuardedBy("lock")
    private Meta responseMeta = Meta.EMPTY;

    private volatile @Nullable Object attachment;

    AgentSession(SessionId id, SessionSetup setup, boolean isNew, ConnectedClient client) {
        this.id = id;
        this.setup = setup;
        this.held = isNew ? new ArrayList<>() : null;
        this.toolCallPrefix = isNew ? "call-" : "call-" + Long.toString(System.currentTimeMillis(), 36) + "-";
        this.client = client;
    }

    @Override
    public AgentSession session() {
        return this;
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

    @Override
    public ConnectedClient client() {
        return client;
    }

    /** Keeps an object of the agent's own with the session. */
    public void attach(Object state) {
        attachment = state;
    }

    /**
     * Returns the object that was attached.
     *
     * @throws IllegalStateException when nothing of that type was attached
     */
    public <T> T attachment(Class<T> type) {
        Object state = attachment;
        if (!type.isInstance(state)) {
            throw new IllegalStateException("session " + id + " has no " + type.getSimpleName() + " attached");
        }
        return type.cast(state);
    }

    // ---- modes and options

    /** Sets the modes that the session offers. Call it while the session is being opened: they go into the response. */
    public void modes(SessionModeState state) {
        lock.lock();
        try {
            modes = state;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the modes that the session offers and the current one, or null when it has none. */
    public @Nullable SessionModeState modes() {
        lock.lock();
        try {
            return modes;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the session's config options. */
    public List<SessionConfigOption> configOptions() {
        lock.lock();
        try {
            return configOptions;
        } finally {
            lock.unlock();
        }
    }

    /** Sets the {@code _meta} of the response that opens the session. Call it while the session is being opened. */
    public void responseMeta(Meta meta) {
        lock.lock();
        try {
            responseMeta = meta;
        } finally {
            lock.unlock();
        }
    }

    Meta responseMeta() {
        lock.lock();
        try {
            return responseMeta;
        } finally {
            lock.unlock();
        }
    }

    void currentMode(SessionModeId mode) {
        lock.lock();
        try {
            if (modes != null) {
                modes = SessionModeState.of(mode, modes.availableModes()).withMeta(modes.meta());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns true when the client is to be told by an update. */
    boolean keepConfigOptions(List<SessionConfigOption> options) {
        lock.lock();
        try {
            configOptions = List.copyOf(options);
            return !opening;
        } finally {
            lock.unlock();
        }
    }

    ToolCallId nextToolCallId() {
        return ToolCallId.of(toolCallPrefix + toolCalls.incrementAndGet());
    }

    // ---- updates

    void send(SessionUpdate update) throws InterruptedException {
        lock.lock();
        try {
            if (closed) {
                throw new IllegalStateException("session " + id + " is closed");
            }
            if (held != null) {
                held.add(update);
                return;
            }
            senders++;
        } finally {
            lock.unlock();
        }
        try {
            client.send(ClientMethods.UPDATE, SessionNotification.of(id, update));
        } finally {
            sent();
        }
    }

    private void sent() {
        lock.lock();
        try {
            senders--;
            if (senders == 0) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    /** The response that opens the session is about to be made: from here on changes are told by updates. */
    void opened() {
        lock.lock();
        try {
            opening = false;
        } finally {
            lock.unlock();
        }
    }

    /** The response has been sent: sends what was held back for it, in order and before anything newer. */
    void release() throws InterruptedException {
        try {
            for (List<SessionUpdate> next = nextHeld(); !next.isEmpty(); next = nextHeld()) {
                for (SessionUpdate update : next) {
                    client.send(ClientMethods.UPDATE, SessionNotification.of(id, update));
                }
            }
        } finally {
            discardHeld();
        }
    }

    /** Returns what is to be sent next; when that is nothing, nothing is held back any more. */
    private List<SessionUpdate> nextHeld() {
        lock.lock();
        try {
            List<SessionUpdate> next = held == null ? List.of() : held;
            held = next.isEmpty() ? null : new ArrayList<>();
            return next;
        } finally {
            lock.unlock();
        }
    }

    /** Nothing is held back any more: it was sent, or nobody is there to hear it. */
    void discardHeld() {
        lock.lock();
        try {
            held = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** The connection has ended: nothing more is sent, and nobody waits for handlers that still run. */
    void abandon() {
        lock.lock();
        try {
            closed = true;
            held = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    // ---- turns

    void enqueue(AgentTurn turn) {
        lock.lock();
        try {
            if (closed) {
                throw RpcError.sessionNotFound(id.value());
            }
            turns.add(turn);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the turn is the first and what was held back has been sent. Returns false when it was cancelled
     * before.
     */
    boolean awaitTurn(AgentTurn turn) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while ((turns.peek() != turn || held != null) && !turn.isCancelled()) {
                changed.await();
            }
            return !turn.isCancelled() && turn.runOn(Thread.currentThread());
        } finally {
            lock.unlock();
        }
    }

    /** The turn's handler has returned: from here on a cancellation does not interrupt it any more. */
    void handled(AgentTurn turn) {
        lock.lock();
        try {
            turn.ended();
        } finally {
            lock.unlock();
        }
        // The turn's cancellation may have come after its work: it must not disturb what the thread does next.
        boolean unused = Thread.interrupted();
    }

    /** The turn's answer is on its way: the next one may begin. */
    void answered(AgentTurn turn) {
        lock.lock();
        try {
            turns.remove(turn);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /** Cancels the running turn and those that wait for it; prompts that come later are not concerned. */
    void cancel() {
        lock.lock();
        try {
            for (AgentTurn turn : turns) {
                turn.cancel();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until no turn runs or waits, and what was held back or is being sent has gone out: it must not come after
     * what the client does next with the session. From then on there is no turn, and nothing is sent. An interrupt does
     * not end the wait: half closed, a session would be nobody's.
     */
    void awaitClosed() {
        lock.lock();
        try {
            while (!turns.isEmpty() || held != null) {
                changed.awaitUninterruptibly();
            }
            // From here on nothing begins to be sent, or a thread that never stops could keep the session open.
            closed = true;
            while (senders > 0) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
