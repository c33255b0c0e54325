package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Version;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Sends each message of a client to the agent's handler for it. Before initialization only that is allowed. */
final class AgentRouter implements Handler {
    private final Agent.Builder config;
    private final ConnectedClient client;
    private final AgentSessions sessions;

    /** Whether the client has asked for something since initialization. Used by the thread that reads. */
    private boolean isInUse;

    AgentRouter(Agent agent, ConnectedClient client) {
        this.config = agent.config;
        this.client = client;
        this.sessions = agent.sessions;
    }

    @Override
    public void bound(Connection connection) {
        client.joined(connection);
    }

    @Override
    public void ending() {
        sessions.letGo(client);
    }

    /** What the end of the connection means to its calls and its sessions. */
    final class AtEnd implements ConnectionClosedException.Factory, Runnable {
        @Override
        public ConnectionClosedException create(String method, @Nullable Throwable failure) {
            return new Failures("the client").closed(client.rpcOrNull(), method, failure);
        }

        @Override
        public void run() {
            sessions.leaveAll(client);
            for (Consumer<? super ConnectedClient> action : config.onDisconnect) {
                try {
                    action.accept(client);
                } catch (RuntimeException e) {
                    config.onProblem.accept(new Problem(
                            Problem.Kind.REQUEST_FAILED, "an action at the end of a connection failed: " + e, e));
                }
            }
        }
    }

    @Override
    public @Nullable Acceptance request(IncomingRequest request) {
        if (client.isInitialized()) {
            client.dialect().requireId(request);
        }
        if (request.method().equals("initialize")) {
            initialize(request);
            return null;
        }
        if (!client.isInitialized()) {
            throw RpcError.invalidRequest("initialize first, then " + request.method());
        }
        isInUse = true;
        if (request.method().equals("session/prompt")
                && config.hasSessions()
                && !config.extensions.handles(request.method())) {
            return sessions.prompt(client, request);
        }
        return () -> route(request);
    }

    /** Methods that an agent without sessions does not have. */
    private boolean isOfNoSession(String method) {
        return !config.hasSessions() && (method.startsWith("session/") || method.endsWith("/cancel"));
    }

    private Task route(IncomingRequest request) {
        if (config.extensions.handles(request.method()) || isOfNoSession(request.method())) {
            return config.extensions.task(client, request);
        }
        Task own = client.dialect().task(sessions, client, request);
        return own == null ? config.extensions.task(client, request) : own;
    }

    @Override
    public @Nullable Delivery notification(Message message) {
        if (!client.isInitialized()) {
            return null;
        }
        if (message.method().equals("session/cancel") && !config.extensions.receives(message.method())) {
            // Takes effect at once, whatever the session's handlers do.
            cancel(client.dialect().cancelled(message));
            return null;
        }
        return () -> Extensions.reportUnless(
                config.extensions.handle(client, message.method(), message.params()),
                message.method(),
                config.onProblem);
    }

    private void cancel(SessionId id) {
        AgentSession session = client.sessions().get(id);
        if (session != null) {
            session.state().cancel();
            return;
        }
        for (AgentSession parent : client.sessions().values()) {
            if (parent.state().cancel(AgentSubagent.key(id))) {
                return;
            }
        }
    }

    // ---- initialization

    /**
     * Answers at once: a client need not wait for the answer before it sends more. In version 2 it may ask again until
     * it asks for something else; if that fails, the first answer stands.
     */
    private void initialize(IncomingRequest request) {
        AgentDialect bound = client.isInitialized() ? client.dialect() : null;
        if (bound != null && (isInUse || bound.version() == Version.V1)) {
            throw RpcError.invalidRequest("the connection is initialized already");
        }
        Message message = Objects.requireNonNull(request.message());
        AgentDialect dialect = AgentDialect.of(message, config);
        dialect.requireId(request);
        if (bound != null && dialect.version() != bound.version()) {
            throw RpcError.invalidRequest("the connection is initialized already, in version "
                    + bound.version().number());
        }
        Requests.reportUnlessObjects(
                message.params(), "params", List.of("clientCapabilities", "capabilities"), config.onProblem);
        RawJson answer = dialect.initialized(config);
        // Bound before the answer is written: the client may send its next request as soon as it has read it.
        client.bind(dialect, message);
        request.answer(answer);
    }
}
