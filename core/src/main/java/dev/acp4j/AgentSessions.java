package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMode;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import jdk.jfr.FlightRecorder;
import org.jspecify.annotations.Nullable;

/**
 * The sessions of an agent, whatever connections they are attached to: opening, prompting, changing and ending them. An
 * id stands for one live session; opening it again attaches to it.
 */
final class AgentSessions {
    final Agent.Builder config;
    final KeptSessions kept;

    /** All that live, those included that are being opened or ended. */
    private final ConcurrentHashMap<SessionId, AgentSession> live = new ConcurrentHashMap<>();

    /** Held while a new session takes the place of another one; the locks of sessions are taken after it. */
    private final ReentrantLock activation = new ReentrantLock();

    /** How much the open sessions keep of what clients said when they opened them. */
    private final AtomicLong keptBytes = new AtomicLong();

    AgentSessions(Agent.Builder config) {
        this.config = config;
        this.kept = new KeptSessions(this);
    }

    /** Starts a thread that works for a session rather than for a connection. */
    void start(Runnable body) {
        Thread thread = new Thread(null, body, "acp4j-" + config.name + "-session", 0, false);
        thread.setDaemon(true);
        thread.start();
    }

    // ---- opening

    /**
     * Opens a new session.
     *
     * @param source the session that it is forked from; null for none
     * @param bytes how many bytes its setup has
     * @param answer makes the response
     */
    Handler.Task open(
            ConnectedClient client,
            SessionSetup setup,
            @Nullable SessionId source,
            int bytes,
            Function<AgentSession, RawJson> answer) {
        Agent.ForkSessionHandler fork = config.onForkSession;
        Agent.SessionHandler handler =
                source == null || fork == null ? config.onNewSession : session -> fork.fork(session, source);
        return new Opening(client, null, source, setup, handler, false, bytes, answer);
    }

    /**
     * Loads or resumes a session, or attaches the client to a live one; the other parameters are as for {@link #open}.
     *
     * @param handler what loads or resumes it; null when only a live one can be attached to
     * @param mutes whether what the handler says of the conversation is not sent
     */
    Handler.Task reopen(
            ConnectedClient client,
            SessionId id,
            SessionSetup setup,
            Agent.@Nullable SessionHandler handler,
            boolean mutes,
            int bytes,
            Function<AgentSession, RawJson> answer) {
        return new Opening(client, id, null, setup, handler, mutes, bytes, answer);
    }

    /**
     * Returns how much a session keeps of the request that opens it. The setup of a session stays with it, so the bound
     * of requests in flight holds for the setups of all open sessions, too.
     */
    int requireRoom(IncomingRequest request) {
        RawJson params = request.params();
        int bytes = params == null ? 0 : params.length();
        long kept = keptBytes.get();
        long most = config.limits.incomingBytes();
        if (kept > 0 && kept + bytes > most) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR,
                    "The setups of the open sessions have " + kept + " bytes and this one " + bytes + ", allowed are "
                            + most + ": close a session first");
        }
        return bytes;
    }

    /**
     * Opens a session, or attaches a client to a live one: the session is active there from the moment its handler
     * accepts it. If that fails, the client is detached, and a session that exists only since then is forgotten.
     */
    private class Opening implements Handler.Task {
        private final ConnectedClient client;
        private final @Nullable SessionId wanted;
        private final @Nullable SessionId source;
        private final SessionSetup setup;
        private final Agent.@Nullable SessionHandler handler;
        private final boolean mutes;
        private final int bytes;
        private final Function<AgentSession, RawJson> answer;

        /** Set when the client is about to be answered with success. */
        private @Nullable AgentSession opened;

        private @Nullable Attachment attachment;

        /**
         * @param wanted the session to open again; null for a new one
         * @param source the session that a new one is forked from; null for none
         */
        Opening(
                ConnectedClient client,
                @Nullable SessionId wanted,
                @Nullable SessionId source,
                SessionSetup setup,
                Agent.@Nullable SessionHandler handler,
                boolean mutes,
                int bytes,
                Function<AgentSession, RawJson> answer) {
            this.client = client;
            this.mutes = mutes;
            this.wanted = wanted;
            this.source = source;
            this.setup = setup;
            this.handler = handler;
            this.bytes = bytes;
            this.answer = answer;
        }

        /** Returns the session as the handler gets it, with the client attached. */
        private AgentSession claim() throws Exception {
            return wanted == null ? begin() : claim(wanted);
        }

        private AgentSession begin() throws Exception {
            Agent.Opener opener = config.opener;
            SessionId id = opener == null ? config.sessionIds.get() : opener.open(setup, source);
            if (live.containsKey(id)) {
                throw new IllegalStateException("sessionIds gave the id of a session that is open: " + id);
            }
            return fresh(id, true);
        }

        private AgentSession claim(SessionId id) throws Exception {
            while (true) {
                AgentSession known = live.get(id);
                if (known == null) {
                    if (handler == null) {
                        throw RpcError.sessionNotFound(id.value());
                    }
                    AgentSession fresh = fresh(id, false);
                    if (live.putIfAbsent(id, fresh) == null) {
                        return fresh;
                    }
                } else if (known.state().isOpenedBy(client)) {
                    // The one that is done last takes the place of the other.
                    return fresh(id, false);
                } else {
                    known.state().awaitSent(client);
                    if (handler != null) {
                        // It is detached first, and the session ends if it was the only one: it is opened anew.
                        leave(known, client);
                    }
                    Attachment attached = known.state().attach(client);
                    if (attached != null) {
                        return new AgentSession(known, setup, attached);
                    }
                    known.state().awaitGone();
                }
            }
        }

        private AgentSession fresh(SessionId id, boolean isNew) {
            return new AgentSession(AgentSessions.this, id, setup, isNew, client);
        }

        @Override
        public RawJson run() throws Exception {
            AgentSession session = claim();
            attachment = Objects.requireNonNull(session.opening());
            try {
                for (Agent.SessionHandler action : config.onSessionOpening) {
                    action.handle(session);
                }
                if (handler != null) {
                    attachment.isMuted = mutes;
                    handler.handle(session);
                    session.state().endReplay(attachment);
                }
                if (!session.opened(attachment)) {
                    throw new IllegalStateException(
                            "the client was detached from session " + session.id() + " meanwhile");
                }
                RawJson response = answer.apply(session);
                activate(session);
                opened = session;
                return response;
            } finally {
                if (opened == null) {
                    abandon(session, attachment);
                }
            }
        }

        private void activate(AgentSession session) throws Exception {
            SessionId id = session.id();
            AgentSession shared = session.state().session();
            if (attachment != null && attachment.isFirst) {
                AgentSession other = takePlace(shared, client, bytes);
                if (other != null) {
                    end(other, client);
                }
            } else {
                client.sessions().put(id, shared);
            }
            if (client.isGone() || shared.state().isEnding()) {
                leave(shared, client);
            } else if (!shared.state().isAttached(client)) {
                client.sessions().remove(id, shared);
            }
        }

        private void abandon(AgentSession session, Attachment failed) throws Exception {
            if (failed.isFirst) {
                live.remove(session.id(), session);
                freeExtensions(session);
                session.state().fail();
            } else if (session.state().leave(failed)) {
                end(session.state().session(), client);
            }
        }

        @Override
        public void answered() {
            AgentSession session = opened;
            if (session == null || attachment == null) {
                // The client does not know this session, and gets nothing of it.
                return;
            }
            try {
                session.state().release(attachment);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Lets a new session stand for its id. Returns the one that the same client opened beside it, if that was done
     * before; the caller ends it.
     */
    private @Nullable AgentSession takePlace(AgentSession session, ConnectedClient client, int bytes) {
        activation.lock();
        try {
            if (session.state().isEnding()) {
                // The one beside it was done a moment earlier, and ends it.
                return null;
            }
            session.keptBytes = bytes;
            keptBytes.addAndGet(bytes);
            AgentSession other = live.put(session.id(), session);
            client.sessions().put(session.id(), session);
            boolean ends = other != null && other != session && other.state().beginEndIfOpened();
            return ends ? other : null;
        } finally {
            activation.unlock();
        }
    }

    // ---- prompting

    /** Takes a prompt, in the order of the wire: a cancellation that follows finds it. */
    Handler.Acceptance prompt(ConnectedClient client, IncomingRequest incoming) {
        AgentDialect.Prompt prompt = client.dialect().prompt(incoming);
        AgentTurn turn = new AgentTurn(active(client, prompt.session()), client, prompt, incoming);
        turn.session().state().enqueue(turn);
        Prompting prompting = new Prompting(turn, Objects.requireNonNull(config.onPrompt));
        return () -> prompting;
    }

    /** Begins a turn without a prompt, on a thread of its own. */
    void work(AgentTurn turn, Agent.PromptHandler handler) {
        Prompting prompting = new Prompting(turn, handler);
        start(() -> {
            try {
                prompting.work();
            } catch (InterruptedException e) {
                // A cancelled turn has been told as such.
            } catch (Exception e) {
                turn.session().state().report("work of session " + turn.sessionId() + " failed: " + e, e);
            } finally {
                prompting.answered();
            }
        });
    }

    /**
     * Answers a prompt. The next turn begins when the answer is on its way, so that nothing of it can come before. The
     * thread is that of the request, until the client leaves a session that continues; then it is the turn's alone.
     */
    private final class Prompting implements Handler.Task {
        private final AgentTurn turn;
        private final Agent.PromptHandler handler;
        private final long begun = config.time.nanoTime();
        private boolean succeeded;

        Prompting(AgentTurn turn, Agent.PromptHandler handler) {
            this.turn = turn;
            this.handler = handler;
        }

        @Override
        public RawJson run() throws Exception {
            work();
            return turn.client().dialect().answer(turn);
        }

        /** Returns when the turn has ended; does nothing when it was cancelled before it began. */
        void work() throws Exception {
            AgentSessionState state = turn.session().state();
            boolean begins = false;
            Throwable failure = null;
            try {
                begins = state.awaitTurn(turn) && begins();
                if (begins) {
                    handler.prompt(turn);
                }
            } catch (Throwable e) {
                // A cancelled turn is no failure, whatever the cancellation made the handler throw.
                if (e instanceof Error || !turn.isCancelled()) {
                    failure = e;
                    throw e;
                }
            } finally {
                state.handled(turn);
                if (begins) {
                    RpcError error = failure == null ? null : RpcError.forPeer(failure);
                    state.tellEnd(turn, error);
                }
            }
            succeeded = true;
        }

        /** Tells that the turn begins. Returns false when its client has cancelled the prompt. */
        private boolean begins() {
            AgentDialect dialect = turn.client().dialect();
            boolean isAnswered = dialect.version() != Version.V1;
            if (isAnswered && !turn.session().state().accept(turn)) {
                return false;
            }
            if (isAnswered || turn.isWatched()) {
                MessageId message = turn.session().nextMessageId();
                turn.session().state().tellPrompt(turn, message);
                RawJson answer = dialect.accepted(message);
                if (answer != null) {
                    turn.answerEarly(answer);
                }
            }
            return true;
        }

        @Override
        public void answered() {
            turn.session().state().answered(turn);
            if (FlightRecorder.isInitialized()) {
                String reason = succeeded ? turn.stopReason().value() : "";
                TurnFlightEvent.commit("agent", turn.sessionId().value(), reason, config.time.nanoTime() - begun);
            }
        }
    }

    private static AgentSession active(ConnectedClient client, SessionId id) {
        AgentSession session = client.sessions().get(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }

    // ---- changing

    void setMode(ConnectedClient client, Agent.SetModeHandler handler, SessionId id, SessionModeId mode)
            throws Exception {
        AgentSession session = active(client, id);
        SessionModeState modes = session.modes();
        if (modes == null || !offers(modes, mode)) {
            throw RpcError.invalidParams("params.modeId: no such mode: " + mode);
        }
        session.state().currentMode(mode);
        try {
            handler.setMode(session, mode);
        } catch (Exception e) {
            SessionModeState now = session.modes();
            if (now != null && now.currentModeId().equals(mode)) {
                session.state().currentMode(modes.currentModeId());
            }
            throw e;
        }
        session.state().sendToOthers(client, SessionUpdate.CurrentModeUpdate.of(mode));
    }

    private static boolean offers(SessionModeState modes, SessionModeId wanted) {
        for (SessionMode mode : modes.availableModes()) {
            if (mode.id().equals(wanted)) {
                return true;
            }
        }
        return false;
    }

    /** Sets an option of version 2, which may be made of modes. Returns all options. */
    List<SessionConfigOption> setOption(
            ConnectedClient client, SessionId id, SessionConfigId option, SessionConfigOptionValue value)
            throws Exception {
        AgentSession session = active(client, id);
        if (session.state().offered().isMadeOfModes(option)) {
            Agent.SetModeHandler handler = config.onSetMode;
            if (handler == null || !(value instanceof SessionConfigOptionValue.Id chosen)) {
                throw RpcError.invalidParams("params.value: expected the id of a mode");
            }
            setMode(client, handler, id, SessionModeId.of(chosen.value().value()));
        } else if (config.onSetConfigOption == null) {
            throw RpcError.invalidParams("params.configId: no such option: " + option);
        } else {
            List<SessionConfigOption> unused = setConfigOption(client, config.onSetConfigOption, id, option, value);
        }
        return session.state().offered().all();
    }

    /** Ends a tool call or a terminal, if that is offered. */
    void cancel(ConnectedClient client, SessionId id, String member, Object of) {
        if (!active(client, id).state().cancel(of)) {
            throw new RpcError(
                    RpcError.INVALID_PARAMS,
                    "params." + member + ": nothing that can be cancelled now: " + of,
                    AgentDialectV2.data(member, of.toString()));
        }
    }

    /** Returns the options as the client can show them. */
    List<SessionConfigOption> setConfigOption(
            ConnectedClient client,
            Agent.SetConfigOptionHandler handler,
            SessionId id,
            SessionConfigId option,
            SessionConfigOptionValue value)
            throws Exception {
        AgentSession session = active(client, id);
        List<SessionConfigOption> options = handler.set(session, option, value);
        session.state().configOptions(options);
        session.state().sendToOthers(client, SessionUpdate.ConfigOptionUpdate.of(options));
        return client.dialect().shownOptions(options);
    }

    /** Names a session; the other clients of an open one get its title. */
    String setTitle(ConnectedClient client, Agent.SetTitleHandler handler, SessionId id, String title)
            throws Exception {
        String stored = handler.set(client, id, title);
        AgentSession session = live.get(id);
        if (session != null) {
            session.state()
                    .sendToOthers(
                            client,
                            SessionUpdate.SessionInfoUpdate.builder()
                                    .title(stored)
                                    .build());
        }
        return stored;
    }

    /** Returns what an open session is doing; null when none is open with that id. */
    @Nullable
    StateUpdate told(SessionId id) {
        AgentSession session = live.get(id);
        return session == null || !session.state().isOpen()
                ? null
                : session.state().told();
    }

    // ---- ending

    /**
     * Ends a session for all clients: cancels its turns and waits for them, so that their last updates come before our
     * answer, then lets the agent free what it holds, also when the client does not want to wait for it.
     */
    void end(ConnectedClient client, SessionId id) throws Exception {
        AgentSession session = live.get(id);
        if (session != null && session.state().beginEndIfOpened()) {
            end(session, client);
        } else if (session != null && session.state().isEnding()) {
            // Another client ends it, and this one is answered when nothing more of it comes.
            session.state().awaitGone();
        }
    }

    /** Returns the sessions that live, of one folder or of all. */
    List<SessionInfo> live(@Nullable String cwd) {
        List<SessionInfo> sessions = new ArrayList<>();
        for (AgentSession session : live.values()) {
            String folder = session.cwd().toString();
            if ((cwd == null || cwd.equals(folder)) && session.state().isOpen()) {
                List<String> more = new ArrayList<>();
                session.setup().additionalDirectories().forEach(path -> more.add(path.toString()));
                sessions.add(SessionInfo.builder(session.id(), folder)
                        .additionalDirectories(more)
                        .build());
            }
        }
        return sessions;
    }

    /** Returns when turns that end now have had their time: as long as when a connection ends. */
    private long drained() {
        return config.time.nanoTime() + config.limits.drainTime().toNanos();
    }

    /** Detaches a client, and ends the session if that was the last one. */
    private void leave(AgentSession session, ConnectedClient client) throws Exception {
        client.sessions().remove(session.id(), session);
        if (session.state().leave(client)) {
            end(session, client);
        }
    }

    /** Ends a session whose end was begun here, which happens once. */
    private void end(AgentSession session, ConnectedClient client) throws Exception {
        end(session, client, drained());
    }

    private void end(AgentSession session, ConnectedClient client, long deadline) throws Exception {
        session.state().cancel();
        if (client.isGone()) {
            // Its handlers have had their time.
            session.state().abandon(deadline);
        } else {
            session.state().awaitClosed(client);
        }
        free(session);
    }

    private void free(AgentSession session) throws Exception {
        keptBytes.addAndGet(-session.keptBytes);
        boolean interrupted = Thread.interrupted();
        try {
            if (config.onCloseSession != null) {
                config.onCloseSession.handle(session);
            }
        } finally {
            freeExtensions(session);
            activation.lock();
            try {
                live.remove(session.id(), session);
            } finally {
                activation.unlock();
            }
            session.state().gone();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void freeExtensions(AgentSession session) {
        for (Agent.SessionHandler action : config.onSessionEnd) {
            reportFailure(session, () -> action.handle(session));
        }
    }

    /** The connection of a client ends, and its requests are about to be interrupted: those that others need go on. */
    void letGo(ConnectedClient client) {
        for (AgentSession session : client.sessions().values()) {
            if (session.state().letGo(client)) {
                client.sessions().remove(session.id(), session);
            }
        }
    }

    /** The connection of a client has ended: it leaves what it is attached to. */
    void leaveAll(ConnectedClient client) {
        client.leave();
        List<AgentSession> left = new ArrayList<>();
        for (AgentSession session : client.sessions().values()) {
            client.sessions().remove(session.id(), session);
            if (session.state().leave(client)) {
                session.state().cancel();
                left.add(session);
            }
        }
        long deadline = drained();
        for (AgentSession session : left) {
            reportFailure(session, () -> end(session, client, deadline));
        }
    }

    /** Ends a session that has had no client for as long as such sessions are kept, unless somebody has come. */
    void endIfAlone(AgentSession session) {
        if (session.state().beginEndIfAlone()) {
            reportFailure(session, () -> endNow(session, drained()));
        }
    }

    /** Ends all sessions: their turns have one time together. */
    void endAll() {
        List<AgentSession> ending = new ArrayList<>();
        for (AgentSession session : live.values()) {
            if (session.state().beginEndIfOpened()) {
                session.state().cancel();
                ending.add(session);
            }
        }
        long deadline = drained();
        for (AgentSession session : ending) {
            reportFailure(session, () -> endNow(session, deadline));
        }
    }

    private void endNow(AgentSession session, long deadline) throws Exception {
        session.state().cancel();
        session.state().abandonAll(deadline);
        free(session);
    }

    private void reportFailure(AgentSession session, AutoCloseable closing) {
        try {
            closing.close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            config.onProblem.accept(
                    new Problem(Problem.Kind.REQUEST_FAILED, "closing session " + session.id() + " failed: " + e, e));
        }
    }
}
