package dev.acp4j;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.Codec;
import dev.acp4j.process.FailureReport;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthState;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionStatusResponse;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.SystemPromptMode;
import dev.acp4j.schema.Unstable;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A client's connection to an agent, which is initialized: opens sessions, and manages stored ones. */
public final class ConnectedAgent extends Peer {
    /** Sessions that the agent talks about before we know them; more than these are an agent's mistake. */
    private static final int UNCLAIMED_SESSIONS = 1024;

    /** What part of the bound of one view the updates of all of them may have, in bytes as they were read. */
    private static final int UNCLAIMED_SHARE = 8;

    /** Sessions of subagents, each of which has a view; more than these are left out. */
    private static final int MOST_SUBAGENTS = 256;

    private final Client.Builder config;
    private final Failures failures;
    private final ConcurrentHashMap<SessionId, Session> sessions = new ConcurrentHashMap<>();

    /** How many sessions are being opened whose ids only the agent knows yet. */
    private final AtomicInteger opening = new AtomicInteger();

    /** Sessions that were detached while the agent works in them, until it is idle: version 2. */
    private final ConcurrentHashMap<SessionId, Session> detached = new ConcurrentHashMap<>();

    /** Those of the sessions that nobody has opened here, and how many bytes of updates their views hold. */
    private final ConcurrentHashMap<Session, AtomicLong> unclaimed = new ConcurrentHashMap<>();

    private final AtomicLong unclaimedBytes = new AtomicLong();

    /** How many sessions of subagents are there. */
    private final AtomicInteger subagents = new AtomicInteger();

    private final AtomicBoolean hasReportedSubagents = new AtomicBoolean();

    /** Whether it was reported that updates of such sessions are discarded. */
    private final AtomicBoolean hasReportedUnclaimed = new AtomicBoolean();

    private final ReentrantLock pagesLock = new ReentrantLock();

    /** Pages that the user was sent to and has not finished; the oldest go when there are too many. */
    @GuardedBy("pagesLock")
    private final LinkedHashSet<ElicitationId> pages = new LinkedHashSet<>();

    private volatile @Nullable ClientDialect dialect;
    private volatile @Nullable AuthStatus authStatus;

    ConnectedAgent(Client.Builder config, Failures failures) {
        this.config = config;
        this.failures = failures;
    }

    /** Binds how to speak with the agent, before anything that it sent behind its answer is looked at. */
    void bind(ClientDialect value, @Nullable Message answer) {
        introduced(answer);
        dialect = value;
    }

    /** Returns how to speak with the agent. */
    ClientDialect dialect() {
        return initialized(dialect);
    }

    /** Returns how to speak with an agent that may have said nothing of itself yet: that is one of version 1 so far. */
    ClientDialect dialectOrFirst() {
        ClientDialect bound = dialect;
        return bound == null ? ClientDialectV1.UNKNOWN : bound;
    }

    @Override
    Method.Side side() {
        return Method.Side.AGENT;
    }

    @Override
    @Nullable
    Dialect dialectOrNull() {
        return dialect;
    }

    /** Returns the authentication methods that the agent offers. */
    public List<AuthMethod> authMethods() {
        return dialect().authMethods();
    }

    void authStatus(AuthStatus reported) {
        authStatus = reported;
    }

    /**
     * Returns a report of the agent's state, which explains a failure. It can also be made while the agent is alive,
     * for example when it does not answer in time.
     *
     * @param phase the operation that failed, such as {@code session/new}
     */
    public FailureReport report(String phase) {
        return failures.report(phase, rpcOrNull());
    }

    // ---- opening sessions

    /** Opens a session in a folder; see {@link #newSession(SessionSetup)}. */
    public Session newSession(Path cwd) throws InterruptedException {
        return newSession(SessionSetup.in(cwd));
    }

    /**
     * Opens a session. If the agent opens it after the call was abandoned, by a timeout or an interrupt, the session is
     * closed again.
     *
     * @throws UnsupportedException when the agent does not offer what the setup asks for, or has no sessions, which in
     *     version 1 only its answer says
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public Session newSession(SessionSetup setup) throws InterruptedException {
        require(true, Feature.SESSIONS);
        SessionSetup prepared = prepared(setup);
        return open(prepared, dialect().newSession(prepared), Feature.SESSIONS);
    }

    /** Opens a session whose id only the answer says. */
    private Session open(SessionSetup setup, Request<?, ?, ClientDialect.Opened> request, Feature feature)
            throws InterruptedException {
        NewSession session = new NewSession(this, setup);
        opening.incrementAndGet();
        try {
            return session.get(call(request, timeout(), session::opened));
        } catch (InterruptedException | RuntimeException e) {
            session.giveUp();
            ended(setup);
            if (e instanceof RpcError error && error.code() == RpcError.METHOD_NOT_FOUND) {
                throw unsupported(feature, error);
            }
            throw e;
        } finally {
            opening.decrementAndGet();
        }
    }

    /** Loads a session into a folder; see {@link #loadSession(SessionId, SessionSetup)}. */
    public Session loadSession(SessionId id, Path cwd) throws InterruptedException {
        return loadSession(id, SessionSetup.in(cwd));
    }

    /**
     * Loads a session. The agent replays its conversation, which is in {@link Session#view()} when this returns. There
     * is no timeout, because a long conversation may take long.
     *
     * @throws UnsupportedException when the agent does not offer this or what the setup asks for
     * @throws IllegalStateException when the session is already open in this client; {@linkplain Session#detach()
     *     detach} it first
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    public Session loadSession(SessionId id, SessionSetup setup) throws InterruptedException {
        require(true, Feature.LOAD_SESSION);
        SessionSetup prepared = prepared(setup);
        return reopen(id, prepared, dialect().loadSession(id, prepared), Duration.ZERO);
    }

    /** Resumes a session in a folder; see {@link #resumeSession(SessionId, SessionSetup)}. */
    public Session resumeSession(SessionId id, Path cwd) throws InterruptedException {
        return resumeSession(id, SessionSetup.in(cwd));
    }

    /**
     * Resumes a session without replaying its conversation.
     *
     * @throws UnsupportedException when the agent does not offer this or what the setup asks for
     * @throws IllegalStateException when the session is already open in this client; {@linkplain Session#detach()
     *     detach} it first
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    public Session resumeSession(SessionId id, SessionSetup setup) throws InterruptedException {
        require(true, Feature.RESUME_SESSION);
        SessionSetup prepared = prepared(setup);
        return reopen(id, prepared, dialect().resumeSession(id, prepared), timeout());
    }

    /** Forks a session into a folder; see {@link #forkSession(SessionId, SessionSetup)}. */
    @Unstable
    public Session forkSession(SessionId source, Path cwd) throws InterruptedException {
        return forkSession(source, SessionSetup.in(cwd));
    }

    /**
     * Opens a new session that begins with what another one knows, a draft. The other one need not be open here, and
     * does not change: what is prompted in the fork is not part of it.
     *
     * @throws UnsupportedException when the agent does not offer this or what the setup asks for
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     * @see <a href="https://agentclientprotocol.com/rfds/session-fork">Forking sessions</a>
     */
    @Unstable
    public Session forkSession(SessionId source, SessionSetup setup) throws InterruptedException {
        require(true, Feature.FORK_SESSION);
        SessionSetup prepared = prepared(setup);
        return open(prepared, dialect().forkSession(source, prepared), Feature.FORK_SESSION);
    }

    /** Makes the session known before the request is sent, so that what is replayed finds it. */
    private Session reopen(SessionId id, SessionSetup setup, Request<?, ?, ClientDialect.Opened> request, Duration time)
            throws InterruptedException {
        Session session = session(id);
        Session left = detached.remove(id);
        if (left != null) {
            // What the agent says from now on is for the one that is opened.
            left.state().close();
        }
        if (!session.claim(setup)) {
            ended(setup);
            throw new IllegalStateException("session " + id + " is open here: detach it first");
        }
        try {
            ClientDialect.Opened unused = call(request, time, session::opened);
            return session;
        } catch (InterruptedException | RuntimeException e) {
            forget(session);
            throw e;
        }
    }

    Duration timeout() {
        return rpc().limits().requestTimeout();
    }

    /** Returns a setup as the agent gets it. */
    private SessionSetup prepared(SessionSetup setup) throws InterruptedException {
        SessionSetup prepared = config.onSessionSetup == null ? setup : config.onSessionSetup.prepare(this, setup);
        try {
            requireOffered(prepared);
        } catch (UnsupportedException e) {
            ended(prepared);
            throw e;
        }
        return prepared;
    }

    private void ended(SessionSetup prepared) {
        if (config.onSessionSetup != null) {
            config.onSessionSetup.ended(prepared);
        }
    }

    private void requireOffered(SessionSetup setup) {
        require(!setup.additionalDirectories().isEmpty(), Feature.ADDITIONAL_DIRECTORIES);
        for (McpServer server : setup.mcpServers()) {
            require(server instanceof McpServer.Stdio, Feature.MCP_STDIO);
            require(server instanceof McpServer.Http, Feature.MCP_HTTP);
            require(server instanceof McpServer.Sse, Feature.MCP_SSE);
            require(server instanceof McpServer.Acp, Feature.MCP_ACP);
        }
        SystemPrompt prompt = setup.systemPrompt();
        if (prompt != null) {
            boolean overrides = prompt.mode().equals(SystemPromptMode.OVERRIDE);
            require(true, overrides ? Feature.SYSTEM_PROMPT_OVERRIDE : Feature.SYSTEM_PROMPT);
        }
    }

    /** Refuses what this agent does not take in prompts. */
    void requireOffered(List<ContentBlock> content) {
        for (ContentBlock block : content) {
            require(block instanceof ContentBlock.Image, Feature.PROMPT_IMAGES);
            require(block instanceof ContentBlock.Audio, Feature.PROMPT_AUDIO);
            require(block instanceof ContentBlock.Resource, Feature.PROMPT_RESOURCES);
        }
    }

    @Override
    <P> Call start(String method, @Nullable P params, Codec<P> codec, Call.@Nullable Listener listener)
            throws InterruptedException {
        if (config.onCall == null) {
            return super.start(method, params, codec, listener);
        }
        Call call = rpc().prepare(method, params, codec, listener);
        config.onCall.accept(call.id());
        call.awaitRoom();
        return call.send();
    }

    @Override
    RpcError explained(RpcError error) {
        return AuthenticationRequiredException.orSame(error, authMethods());
    }

    // ---- stored sessions

    /**
     * Returns the sessions that the agent can load or resume. Each iteration fetches the pages again and throws the
     * exceptions of {@link #call(Method, Object)}. If the thread is interrupted, the iteration throws
     * {@link java.util.concurrent.CancellationException}, and the thread stays interrupted.
     *
     * @param cwd only sessions of this folder, or null for all; a relative path is resolved against the working
     *     directory of this program
     * @throws UnsupportedException when the agent does not offer this
     */
    public Iterable<SessionInfo> listSessions(@Nullable Path cwd) {
        return listSessions(cwd, Meta.EMPTY);
    }

    /**
     * Returns the sessions that the agent can load or resume; see {@link #listSessions(Path)}.
     *
     * @param meta the {@code _meta} of each request
     */
    public Iterable<SessionInfo> listSessions(@Nullable Path cwd, Meta meta) {
        require(true, Feature.LIST_SESSIONS);
        return () -> new SessionPages(
                this, cwd == null ? null : SessionSetup.absolute(cwd).toString(), null, meta);
    }

    /**
     * Returns the sessions that the agent can load or resume, with or without those that are archived, a draft; see
     * {@link #listSessions(Path)}. Without a filter, archived ones are not listed.
     *
     * @throws UnsupportedException when the agent does not archive sessions
     */
    @Unstable
    public Iterable<SessionInfo> listSessions(@Nullable Path cwd, SessionArchiveFilter archived) {
        require(true, Feature.ARCHIVE_SESSION);
        return () -> new SessionPages(
                this, cwd == null ? null : SessionSetup.absolute(cwd).toString(), archived, Meta.EMPTY);
    }

    /**
     * Deletes a session at the agent, and detaches it if it is open. Succeeds if the session does not exist.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void deleteSession(SessionId id) throws InterruptedException {
        deleteSession(id, Meta.EMPTY);
    }

    /**
     * Deletes a session at the agent; see {@link #deleteSession(SessionId)}.
     *
     * @param meta the {@code _meta} of the request
     */
    public void deleteSession(SessionId id, Meta meta) throws InterruptedException {
        require(true, Feature.DELETE_SESSION);
        requireOwn(id);
        try {
            Meta unused = call(dialect().deleteSession(id, meta));
        } catch (RpcError e) {
            if (e.code() != RpcError.RESOURCE_NOT_FOUND) {
                throw e;
            }
        }
        ended(id);
    }

    /** The agent has ended a session. */
    private void ended(SessionId id) {
        Session open = sessions.get(id);
        if (open != null) {
            dialect().closed(open);
            forget(open);
        }
    }

    /**
     * Archives a session at the agent, a draft: it is not listed any more unless a list asks for it. Its id and what is
     * stored of it stay. An open session is closed before, and detached here. Succeeds for an archived session.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    @Unstable
    public void archiveSession(SessionId id) throws InterruptedException {
        require(true, Feature.ARCHIVE_SESSION);
        requireOwn(id);
        Object unused = call(dialect().archiveSession(id, true));
        ended(id);
    }

    /**
     * Returns an archived session to ordinary lists, a draft. Does not open it. Succeeds for a session that is not
     * archived.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    @Unstable
    public void unarchiveSession(SessionId id) throws InterruptedException {
        require(true, Feature.ARCHIVE_SESSION);
        Object unused = call(dialect().archiveSession(id, false));
    }

    /**
     * Returns whether the agent has a session in memory, a draft; in version 2 perhaps what it is doing. Changes
     * nothing. A status that is not known is given as {@link dev.acp4j.schema.SessionStatus#SAVED}.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent does not know the session, or is gone
     */
    @Unstable
    public SessionStatusResponse sessionStatus(SessionId id) throws InterruptedException {
        require(true, Feature.SESSION_STATUS);
        return call(dialect().sessionStatus(id));
    }

    /**
     * Names a session, open or not, a draft; the agent should keep that title.
     *
     * @return the title as the agent has stored it, perhaps shorter; {@link SessionView#title()} of an open session is
     *     this one
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses the title, does not know the session, or is gone
     */
    @Unstable
    public String setTitle(SessionId id, String title) throws InterruptedException {
        require(true, Feature.SET_TITLE);
        requireOwn(id);
        return call(dialect().setTitle(id, title), timeout(), stored -> {
            Session open = openSession(id);
            return open == null
                    ? null
                    : open.happened(open.view().info(Change.replace(stored), Change.keep(), SessionEvent.Origin.HERE));
        });
    }

    // ---- providers

    /**
     * Returns the providers of models that can be configured, and where requests to them go, a draft.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Configurable providers</a>
     */
    @Unstable
    public List<ProviderInfo> providers() throws InterruptedException {
        require(true, Feature.PROVIDERS);
        return call(dialect().providers());
    }

    /**
     * Replaces the configuration of a provider for this process of the agent, best before sessions are opened; a draft.
     * The values of headers are hidden in texts, errors and traces.
     *
     * <pre>{@code
     * agent.setProvider(SetProviderRequest.builder(ProviderId.of("main"), LlmProtocol.ANTHROPIC, "https://llm.corp.example")
     *         .headers(Map.of("Authorization", "Bearer " + token))
     *         .build());
     * }</pre>
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the provider, or is gone
     */
    @Unstable
    public void setProvider(SetProviderRequest configuration) throws InterruptedException {
        require(true, Feature.PROVIDERS);
        Meta unused = call(dialect().setProvider(configuration));
    }

    /**
     * Disables a provider that is not {@linkplain ProviderInfo#required() required}, until it is set again; a draft.
     * Succeeds for one that does not exist.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    @Unstable
    public void disableProvider(ProviderId provider) throws InterruptedException {
        require(true, Feature.PROVIDERS);
        Meta unused = call(dialect().disableProvider(provider));
    }

    // ---- pages that agents send users to

    private static final int MOST_PAGES = 1024;

    void pageBegins(ElicitationId id) {
        pagesLock.lock();
        try {
            pages.add(id);
            if (pages.size() > MOST_PAGES) {
                pages.remove(pages.getFirst());
            }
        } finally {
            pagesLock.unlock();
        }
    }

    /** Returns false when the agent did not send the user to that page, or the user has left it. */
    boolean pageEnds(ElicitationId id) {
        pagesLock.lock();
        try {
            return pages.remove(id);
        } finally {
            pagesLock.unlock();
        }
    }

    // ---- authentication

    /**
     * Returns whether and how the user is logged in: asks the agent if it has the draft of {@code auth/status}, else as
     * it reported last; see {@link Client.Builder#onAuthStatus}.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    @Unstable
    public AuthStatus authStatus() throws InterruptedException {
        require(true, Feature.AUTH_STATUS);
        Request<?, ?, AuthStatus> request = dialect().authStatus();
        if (request != null) {
            return call(request);
        }
        AuthStatus reported = authStatus;
        return reported == null ? new AuthStatus(AuthState.UNKNOWN, List.of()) : reported;
    }

    /**
     * Authenticates the user. There is no timeout, because a person may be involved. A {@link AuthMethod.Terminal} is
     * no method for this: run the agent's program in a terminal with its arguments and variables instead.
     *
     * @throws IllegalArgumentException when the method is one of a terminal
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void authenticate(AuthMethodId method) throws InterruptedException {
        authenticate(method, Meta.EMPTY);
    }

    /**
     * Authenticates the user; see {@link #authenticate(AuthMethodId)}.
     *
     * @param meta the {@code _meta} of the request
     */
    public void authenticate(AuthMethodId method, Meta meta) throws InterruptedException {
        for (AuthMethod offered : authMethods()) {
            if (offered instanceof AuthMethod.Terminal && offered.id().equals(method)) {
                throw new IllegalArgumentException(method + " is done by running the agent's program in a terminal,"
                        + " with the arguments and variables of the method");
            }
        }
        Meta unused = call(dialect().authenticate(method, meta), Duration.ZERO, done -> null);
    }

    /**
     * Ends the user's authentication.
     *
     * @throws UnsupportedException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void logout() throws InterruptedException {
        logout(Meta.EMPTY);
    }

    /**
     * Ends the user's authentication; see {@link #logout()}.
     *
     * @param meta the {@code _meta} of the request
     */
    public void logout(Meta meta) throws InterruptedException {
        require(true, Feature.LOGOUT);
        Meta unused = call(dialect().logout(meta));
    }

    // ---- for sessions and the router

    /** Returns the session with that id; one that is not known begins here, and is claimed by its opener. */
    Session session(SessionId id) {
        Session known = sessions.get(id);
        return known != null ? known : sessions.computeIfAbsent(id, this::unclaimed);
    }

    private Session unclaimed(SessionId id) {
        Session session = new Session(this, id);
        unclaimed.put(session, new AtomicLong());
        return session;
    }

    /**
     * Returns the session that the agent talks about, perhaps ahead of its opener. Returns null when it talks about too
     * many that nobody opens.
     */
    @Nullable
    Session mentioned(SessionId id) {
        Session known = sessions.get(id);
        if (known == null && !detached.isEmpty()) {
            known = working(id);
            if (known != null) {
                return known;
            }
        }
        return known == null && unclaimed.size() >= UNCLAIMED_SESSIONS ? null : session(id);
    }

    /**
     * Counts an update of a session that perhaps nobody opens. Returns false when those of all such sessions take too
     * much memory.
     */
    boolean mayKeep(Session session, int bytes) {
        if (session.isOpened()) {
            return true;
        }
        AtomicLong early = unclaimed.get(session);
        if (early == null) {
            return true; // opened meanwhile, or detached
        }
        if (unclaimedBytes.get() + bytes > rpc().limits().viewBytes() / UNCLAIMED_SHARE) {
            return false;
        }
        early.addAndGet(bytes);
        unclaimedBytes.addAndGet(bytes);
        return true;
    }

    /** Reports, once for all, that updates about sessions which nobody opened are discarded. */
    Handler.@Nullable Delivery discardUnclaimed() {
        if (hasReportedUnclaimed.getAndSet(true)) {
            return null;
        }
        return () -> config.onProblem.accept(new Problem(
                Problem.Kind.UNHANDLED_NOTIFICATION,
                "discarded an update: the agent talks about too many sessions that nobody opened, or too much; further"
                        + " updates of such sessions are discarded without a report",
                null));
    }

    /** Returns a session that was detached and in which a turn runs. */
    private @Nullable Session working(SessionId id) {
        Session session = detached.get(id);
        if (session != null && session.state().running() == null) {
            detached.remove(id, session);
            return null;
        }
        return session;
    }

    /** Returns the session with that id if it was opened here. */
    @Nullable
    Session openSession(SessionId id) {
        Session known = sessions.get(id);
        return known != null && known.isOpened() ? known : null;
    }

    /** Returns whether a session is being opened whose id is not known here yet. */
    boolean isOpening() {
        return opening.get() > 0;
    }

    /** What a subagent is belongs to its agent: that a method is there for sessions is no leave for it. */
    private void requireOwn(SessionId id) {
        Session known = sessions.get(id);
        if (known != null && known.isSubagent()) {
            throw new IllegalStateException(id + " is the session of a subagent, which only its agent changes");
        }
    }

    /**
     * The agent announces a subagent of an open session: its session is there without being opened. Returns a report
     * when there are too many, once for all.
     */
    Handler.@Nullable Delivery subagent(Session parent, Entry.Subagent about) {
        if (!parent.isOpened() || about.id().equals(parent.id())) {
            return null;
        }
        Session known = sessions.get(about.id());
        boolean isKnown = known != null && known.isSubagent();
        boolean isOthers = known != null && !known.parent().equals(Optional.of(parent)) && known.isOpened();
        if (isOthers) {
            // It stays with the session that announced it first, or with the client.
            return null;
        }
        if (!isKnown && subagents.get() >= MOST_SUBAGENTS) {
            return hasReportedSubagents.getAndSet(true) ? null : () -> reportSubagents(about.id());
        }
        Session child = session(about.id());
        claimed(child);
        child.belongsTo(parent, about);
        if (!isKnown) {
            subagents.incrementAndGet();
        }
        if (!isKnown(parent)) {
            // It was closed meanwhile.
            forget(child);
        }
        return null;
    }

    private void reportSubagents(SessionId first) {
        config.onProblem.accept(new Problem(
                Problem.Kind.UNHANDLED_NOTIFICATION,
                "left out the session of subagent " + first + ": more than " + MOST_SUBAGENTS
                        + " subagents; further ones are left out without a report until sessions of subagents, or those"
                        + " that they belong to, are closed",
                null));
    }

    void claimed(Session session) {
        AtomicLong early = unclaimed.remove(session);
        if (early != null) {
            unclaimedBytes.addAndGet(-early.get());
        }
    }

    ClientDialect.@Nullable UpdateHandler onUpdate() {
        return config.onUpdate;
    }

    long now() {
        return config.time.nanoTime();
    }

    boolean keepsMessages() {
        return config.keepsMessages;
    }

    boolean isKnown(Session session) {
        return session.equals(sessions.get(session.id()));
    }

    void forget(Session session) {
        claimed(session);
        session.view().timeline().withdrawQuestions(List.of());
        session.view().timeline().ends();
        if (sessions.remove(session.id(), session)) {
            for (Session child : session.subagents()) {
                forget(child);
            }
            if (session.isSubagent()) {
                session.leaveParent();
                subagents.decrementAndGet();
            }
            if (session.state().running() != null && !dialect().isAcceptedWhenSent()) {
                detached.put(session.id(), session);
            }
            if (config.terminals != null) {
                config.terminals.sessionEnded(session);
            }
            if (session.isOpened()) {
                ended(session.setup());
            }
        }
    }

    SessionListeners newListeners() {
        return new SessionListeners(config.listeners, config.onProblem);
    }

    /** The connection has ended: frees the resources of its sessions. */
    void ended() {
        for (Session session : sessions.values()) {
            forget(session);
        }
    }

    /** Returns the process of the agent if this client started it. */
    public Optional<LaunchedProcess> process() {
        return Optional.ofNullable(failures.process());
    }

    /**
     * Closes the connection, releases the resources of its sessions, and ends the agent's process with its descendants
     * if this client started it.
     */
    @Override
    public void close() {
        for (Session session : sessions.values()) {
            if (!session.isSubagent()) {
                session.cancel();
                // Some agents end only when the servers have that they started.
                if (session.isOpened()) {
                    ended(session.setup());
                }
            }
        }
        super.close();
    }
}
