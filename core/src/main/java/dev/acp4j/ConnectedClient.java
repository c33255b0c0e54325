package dev.acp4j;

import dev.acp4j.rpc.Message;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationScope;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** An agent's connection to a client. */
public final class ConnectedClient extends Peer {
    private final ConcurrentHashMap<SessionId, AgentSession> sessions = new ConcurrentHashMap<>();
    private volatile @Nullable AgentDialect dialect;
    private volatile boolean gone;

    ConnectedClient() {}

    /** Binds how to speak with the client, before anything that it sent behind is looked at. */
    void bind(AgentDialect value, Message request) {
        introduced(request);
        dialect = value;
    }

    /** Returns how to speak with the client. */
    AgentDialect dialect() {
        return initialized(dialect);
    }

    /** The connection has ended: no session is attached any more. */
    void leave() {
        gone = true;
    }

    boolean isGone() {
        return gone;
    }

    /** The sessions that the client is attached to. */
    ConcurrentHashMap<SessionId, AgentSession> sessions() {
        return sessions;
    }

    @Override
    Method.Side side() {
        return Method.Side.CLIENT;
    }

    @Override
    @Nullable
    Dialect dialectOrNull() {
        return dialect;
    }

    /** Returns the active session with that id that the client is attached to. */
    public Optional<AgentSession> session(SessionId id) {
        return Optional.ofNullable(sessions.get(id));
    }

    /**
     * Returns the scope of a question that belongs to no session, but to the request that this thread handles, such as
     * {@code authenticate}:
     *
     * <pre>{@code
     * agent.onAuthenticate((client, method) -> {
     *     var answer = client.elicit(CreateElicitationRequest.form(client.requestScope(), "Which account?", accounts));
     * });
     * }</pre>
     *
     * @throws IllegalStateException when this thread handles no request of the client
     */
    public ElicitationScope requestScope() {
        return ElicitationScope.request(rpc().handled()
                .orElseThrow(() -> new IllegalStateException("this thread handles no request of the client"))
                .id());
    }

    /**
     * Asks the user for input on behalf of a request; see {@link #requestScope}. In a session, use
     * {@link AgentTurn#elicit}. A person must answer, so there is no time limit.
     *
     * @throws UnsupportedException when the client does not advertise the mode of the request
     * @throws InterruptedException when the request is cancelled; the question is withdrawn
     * @throws dev.acp4j.rpc.MalformedMessageException when the client accepts what does not fit the form
     */
    public CreateElicitationResponse elicit(CreateElicitationRequest request) throws InterruptedException {
        Feature needed = needed(request);
        if (needed != null) {
            require(true, needed);
        }
        return call(dialect().elicitation(request), Duration.ZERO, null);
    }

    /**
     * Reports whether and how the user is logged in now, after a change; a draft. A client that knows nothing of it
     * ignores it.
     *
     * @throws IllegalStateException when the agent has no {@link Agent.Builder#onAuthStatus}
     * @throws InterruptedException when interrupted while waiting for room in the outgoing queue; nothing was sent
     * @throws dev.acp4j.rpc.ConnectionClosedException when the connection has ended
     */
    @Unstable
    public void authStatus(AuthStatus status) throws InterruptedException {
        if (!dialect().isOn(Feature.AUTH_STATUS)) {
            throw new IllegalStateException("an agent that reports its authentication needs onAuthStatus(…)");
        }
        dialect().authStatus(this, status);
    }

    /** Returns what the client must be able to do to ask the user this; null when all can. */
    static @Nullable Feature needed(CreateElicitationRequest question) {
        return switch (question) {
            case CreateElicitationRequest.Form form -> Feature.FORMS;
            case CreateElicitationRequest.Url page -> Feature.PAGES;
            default -> null;
        };
    }
}
