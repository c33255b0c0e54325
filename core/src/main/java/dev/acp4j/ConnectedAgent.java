package dev.acp4j;

import dev.acp4j.process.FailureReport;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.PeerErrorException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.McpCapabilities;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.PromptCapabilities;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** An agent, as a client sees it: connected and initialized. */
public final class ConnectedAgent extends Peer {
    /** Sessions that the agent talks about before we know them; more than these are an agent's mistake. */
    private static final int UNCLAIMED_SESSIONS = 1024;

    private final Client.Builder config;
    private final Failures failures;
    private final ConcurrentHashMap<SessionId, Session> sessions = new ConcurrentHashMap<>();

    /** How many sessions are being opened whose ids only the agent knows yet. */
    private final AtomicInteger opening = new AtomicInteger();

    /** Those of the sessions that nobody has opened here. */
    private final Set<Session> unclaimed = ConcurrentHashMap.newKeySet();

    private volatile @Nullable InitializeResponse initialize;

    ConnectedAgent(Client.Builder config, Failures failures) {
        this.config = config;
        this.failures = failures;
    }

    /** Binds what the agent has answered, before anything that it sent behind is looked at. */
    Handler.@Nullable Delivery initialized(InitializeResponse response) {
        initialize = response;
        return null;
    }

    private InitializeResponse initializeResponse() {
        InitializeResponse response = initialize;
        if (response == null) {
            throw new IllegalStateException("the agent has not initialized the connection yet");
        }
        return response;
    }

    @Override
    Method.Side side() {
        return Method.Side.AGENT;
    }

    @Override
    public Optional<Implementation> info() {
        return Optional.ofNullable(initializeResponse().agentInfo());
    }

    @Override
    public int protocolVersion() {
        return initializeResponse().protocolVersion();
    }

    @Override
    public Meta meta() {
        return initializeResponse().meta();
    }

    /** Returns what the agent offers, in the words of version 1 of the protocol. */
    public AgentCapabilities capabilities() {
        return initializeResponse().agentCapabilities();
    }

    /** Returns the ways to authenticate that the agent offers. */
    public List<AuthMethod> authMethods() {
        return initializeResponse().authMethods();
    }

    /**
     * Returns what is known of the agent to explain a failure, also while it lives: for example when it does not answer
     * in time.
     *
     * @param phase what was being done, such as {@code session/new}
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
     * Opens a session. If the agent opens it when nobody waits for it any more, after a timeout or an interrupt, it is
     * closed again.
     *
     * @throws IllegalStateException when the agent does not offer what the setup asks for
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public Session newSession(SessionSetup setup) throws InterruptedException {
        requireOffered(setup);
        NewSessionRequest request = NewSessionRequest.builder(setup.cwd().toString(), setup.mcpServers())
                .additionalDirectories(texts(setup.additionalDirectories()))
                .meta(setup.meta())
                .build();
        NewSession session = new NewSession(this, setup);
        opening.incrementAndGet();
        try {
            return session.get(authenticated(AgentMethods.NEW_SESSION, request, timeout(), session::opened));
        } catch (InterruptedException | RuntimeException e) {
            session.giveUp();
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
     * Loads a session: the agent replays its conversation, which is in {@link Session#view()} when this returns. A long
     * conversation may take long, so there is no time limit.
     *
     * @throws IllegalStateException when the agent does not offer this or what the setup asks for, or when the session
     *     is open here: {@linkplain Session#detach() detach} it first
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    public Session loadSession(SessionId id, SessionSetup setup) throws InterruptedException {
        require(capabilities().loadSession(), "loading sessions");
        requireOffered(setup);
        LoadSessionRequest request = LoadSessionRequest.builder(id, setup.cwd().toString(), setup.mcpServers())
                .additionalDirectories(texts(setup.additionalDirectories()))
                .meta(setup.meta())
                .build();
        return reopen(
                id,
                setup,
                session -> authenticated(
                        AgentMethods.LOAD_SESSION,
                        request,
                        Duration.ZERO,
                        loaded -> session.opened(loaded.modes(), loaded.configOptions(), loaded.meta())));
    }

    /** Resumes a session in a folder; see {@link #resumeSession(SessionId, SessionSetup)}. */
    public Session resumeSession(SessionId id, Path cwd) throws InterruptedException {
        return resumeSession(id, SessionSetup.in(cwd));
    }

    /**
     * Resumes a session without replaying its conversation.
     *
     * @throws IllegalStateException when the agent does not offer this or what the setup asks for, or when the session
     *     is open here: {@linkplain Session#detach() detach} it first
     * @throws InterruptedException when interrupted
     * @throws AuthenticationRequiredException when the user must authenticate first
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, does not know the session, or is gone
     */
    public Session resumeSession(SessionId id, SessionSetup setup) throws InterruptedException {
        require(capabilities().sessionCapabilities().resume() != null, "resuming sessions");
        requireOffered(setup);
        ResumeSessionRequest request = ResumeSessionRequest.builder(
                        id, setup.cwd().toString())
                .additionalDirectories(texts(setup.additionalDirectories()))
                .mcpServers(setup.mcpServers())
                .meta(setup.meta())
                .build();
        return reopen(
                id,
                setup,
                session -> authenticated(
                        AgentMethods.RESUME_SESSION,
                        request,
                        timeout(),
                        resumed -> session.opened(resumed.modes(), resumed.configOptions(), resumed.meta())));
    }

    private interface Reopening {
        void send(Session session) throws InterruptedException;
    }

    /** Makes the session known before the request is sent, so that what is replayed finds it. */
    private Session reopen(SessionId id, SessionSetup setup, Reopening reopening) throws InterruptedException {
        Session session = session(id);
        if (!session.claim(setup)) {
            throw new IllegalStateException("session " + id + " is open here: detach it first");
        }
        try {
            reopening.send(session);
            return session;
        } catch (InterruptedException | RuntimeException e) {
            forget(session);
            throw e;
        }
    }

    private Duration timeout() {
        return rpc().limits().requestTimeout();
    }

    private void requireOffered(SessionSetup setup) {
        boolean folders = capabilities().sessionCapabilities().additionalDirectories() != null;
        require(setup.additionalDirectories().isEmpty() || folders, "additional directories");
        McpCapabilities mcp = capabilities().mcpCapabilities();
        for (McpServer server : setup.mcpServers()) {
            require(!(server instanceof McpServer.Http) || mcp.http(), "MCP servers over HTTP");
            require(!(server instanceof McpServer.Sse) || mcp.sse(), "MCP servers over SSE");
        }
    }

    /** Refuses what this agent does not take in prompts. */
    void requireOffered(List<ContentBlock> content) {
        PromptCapabilities offered = capabilities().promptCapabilities();
        for (ContentBlock block : content) {
            require(!(block instanceof ContentBlock.Image) || offered.image(), "images in prompts");
            require(!(block instanceof ContentBlock.Audio) || offered.audio(), "audio in prompts");
            require(
                    !(block instanceof ContentBlock.Resource) || offered.embeddedContext(),
                    "embedded resources in prompts");
        }
    }

    private static List<String> texts(List<Path> paths) {
        List<String> texts = new ArrayList<>(paths.size());
        for (Path path : paths) {
            texts.add(path.toString());
        }
        return texts;
    }

    private static void require(boolean offered, String what) {
        if (!offered) {
            throw new IllegalStateException("the agent does not offer " + what);
        }
    }

    private <P, R> R authenticated(Method<P, R> method, P params, Duration timeout, Arrival<R> arrival)
            throws InterruptedException {
        try {
            return call(method, params, timeout, arrival);
        } catch (PeerErrorException e) {
            throw AuthenticationRequiredException.orSame(e, authMethods());
        }
    }

    // ---- stored sessions

    /**
     * Returns the sessions that the agent can load or resume. Pages are fetched while iterating, anew for each loop,
     * which throws as {@link #call(Method, Object)} does; interrupted, it throws
     * {@link java.util.concurrent.CancellationException} and the thread stays interrupted.
     *
     * @param cwd only those of this folder, null for all; a relative path starts from the working directory of this
     *     program
     * @throws IllegalStateException when the agent does not offer this
     */
    public Iterable<SessionInfo> listSessions(@Nullable Path cwd) {
        require(capabilities().sessionCapabilities().list() != null, "listing sessions");
        return () -> new SessionPages(
                this, cwd == null ? null : SessionSetup.absolute(cwd).toString());
    }

    ListSessionsResponse page(ListSessionsRequest request) throws InterruptedException {
        return call(AgentMethods.LIST_SESSIONS, request);
    }

    /**
     * Deletes a session at the agent, and forgets it here if it is open. Deleting one that does not exist succeeds.
     *
     * @throws IllegalStateException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void deleteSession(SessionId id) throws InterruptedException {
        require(capabilities().sessionCapabilities().delete() != null, "deleting sessions");
        try {
            call(AgentMethods.DELETE_SESSION, DeleteSessionRequest.of(id));
        } catch (PeerErrorException e) {
            if (e.code() != RpcError.RESOURCE_NOT_FOUND) {
                throw e;
            }
        }
        Session open = sessions.get(id);
        if (open != null) {
            forget(open);
        }
    }

    // ---- authentication

    /**
     * Authenticates the user. A person may be involved, so there is no time limit.
     *
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void authenticate(AuthMethodId method) throws InterruptedException {
        call(AgentMethods.AUTHENTICATE, AuthenticateRequest.of(method), Duration.ZERO);
    }

    /**
     * Ends the user's authentication.
     *
     * @throws IllegalStateException when the agent does not offer this
     * @throws InterruptedException when interrupted
     * @throws dev.acp4j.rpc.RpcException when the agent refuses, or is gone
     */
    public void logout() throws InterruptedException {
        require(capabilities().auth().logout() != null, "logging out");
        call(AgentMethods.LOGOUT, LogoutRequest.of());
    }

    // ---- for sessions and the router

    /** Returns the session with that id; one that is not known begins here, and is claimed by its opener. */
    Session session(SessionId id) {
        Session known = sessions.get(id);
        return known != null ? known : sessions.computeIfAbsent(id, this::unclaimed);
    }

    private Session unclaimed(SessionId id) {
        Session session = new Session(this, id);
        unclaimed.add(session);
        return session;
    }

    /**
     * Returns the session that the agent talks about, perhaps ahead of its opener. Returns null when it talks about too
     * many that nobody opens.
     */
    @Nullable
    Session mentioned(SessionId id) {
        Session known = sessions.get(id);
        return known == null && unclaimed.size() >= UNCLAIMED_SESSIONS ? null : session(id);
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

    void claimed(Session session) {
        unclaimed.remove(session);
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
        unclaimed.remove(session);
        session.view().timeline().withdrawQuestions();
        if (sessions.remove(session.id(), session)) {
            if (config.terminals != null) {
                config.terminals.sessionEnded(session);
            }
        }
    }

    SessionListeners newListeners() {
        return new SessionListeners(config.listeners, config.onProblem);
    }

    /** The connection has ended, whoever ended it: frees what its sessions hold. */
    void ended() {
        for (Session session : sessions.values()) {
            forget(session);
        }
    }

    /** Closes the connection, frees what its sessions hold, and ends the agent's process if it was started here. */
    @Override
    public void close() {
        for (Session session : sessions.values()) {
            session.cancel();
        }
        super.close();
    }
}
