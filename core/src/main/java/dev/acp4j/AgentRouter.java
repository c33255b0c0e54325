package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.ClosedExceptions;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.DeleteSessionResponse;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.LogoutResponse;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** Sends each message of a client to the agent's handler for it. Before initialization only that is allowed. */
final class AgentRouter implements Handler {
    private final Agent.Builder config;
    private final ConnectedClient client;
    private final AgentSessions sessions;
    private final CountDownLatch joined = new CountDownLatch(1);

    AgentRouter(Agent agent, ConnectedClient client) {
        this.config = agent.config;
        this.client = client;
        this.sessions = new AgentSessions(agent.config, client);
    }

    void joined(Connection connection) {
        client.joined(connection);
        joined.countDown();
    }

    /** What the end of the connection means to its calls and its sessions. */
    final class AtEnd implements ClosedExceptions, Runnable {
        @Override
        public ConnectionClosedException create(String method, @Nullable Throwable failure) {
            return new Failures("the client").closed(client.rpcOrNull(), method, failure);
        }

        @Override
        public void run() {
            sessions.endAll();
        }
    }

    @Override
    public Task request(IncomingRequest request) throws InterruptedException {
        // The first message may be read before connect() has stored the connection.
        joined.await();
        if (request.method().equals("initialize")) {
            return initialize(request);
        }
        if (!client.isInitialized()) {
            throw RpcError.invalidRequest("initialize first, then " + request.method());
        }
        return route(request);
    }

    /** A client need not wait for the answer before it sends more, whose lanes must not be faster. */
    @Override
    public boolean opens(String method) {
        return method.equals("initialize") && !client.isInitialized();
    }

    private Task route(IncomingRequest request) {
        return switch (request.method()) {
            case "authenticate" ->
                Requests.task(AgentMethods.AUTHENTICATE, request, config.onAuthenticate, this::authenticate);
            case "logout" -> Requests.task(AgentMethods.LOGOUT, request, config.onLogout, this::logout);
            case "session/new" -> sessions.open(request);
            case "session/load" -> sessions.load(request);
            case "session/resume" -> sessions.resume(request);
            case "session/prompt" -> sessions.prompt(request);
            case "session/close" ->
                Requests.task(AgentMethods.CLOSE_SESSION, request, config.onCloseSession, sessions::close);
            case "session/list" ->
                Requests.task(AgentMethods.LIST_SESSIONS, request, config.onListSessions, this::list);
            case "session/delete" ->
                Requests.task(AgentMethods.DELETE_SESSION, request, config.onDeleteSession, this::delete);
            case "session/set_mode" ->
                Requests.task(AgentMethods.SET_MODE, request, config.onSetMode, sessions::setMode);
            case "session/set_config_option" ->
                Requests.task(
                        AgentMethods.SET_CONFIG_OPTION, request, config.onSetConfigOption, sessions::setConfigOption);
            default -> config.extensions.task(client, request);
        };
    }

    /** A cancellation takes effect at once, whatever the session's handlers do, and again in its place. */
    @Override
    public void arrived(String method, @Nullable RawJson params) {
        if (method.equals("session/cancel")) {
            try {
                cancelled(params).ifPresent(AgentSession::cancel);
            } catch (RpcError e) {
                // Reported in its place.
            }
        }
    }

    private Optional<AgentSession> cancelled(@Nullable RawJson params) {
        return client.session(Requests.decode(AgentMethods.CANCEL, params).sessionId());
    }

    @Override
    public void notification(String method, @Nullable RawJson params) throws Exception {
        joined.await();
        if (!client.isInitialized()) {
            return;
        }
        if (method.equals("session/cancel")) {
            // For the prompts before it that were still waiting in the lane when it came.
            cancelled(params).ifPresent(AgentSession::cancelAgain);
        } else {
            Extensions.reportUnless(config.extensions.handle(client, method, params), method, config.onProblem);
        }
    }

    // ---- initialization and authentication

    private Task initialize(IncomingRequest request) {
        if (client.isInitialized()) {
            throw RpcError.invalidRequest("the connection is initialized already");
        }
        InitializeRequest params = Requests.decode(AgentMethods.INITIALIZE, request.takeParams());
        if (params.protocolVersion() < Protocol.NEWEST) {
            throw UnsupportedVersion.error(params.protocolVersion());
        }
        InitializeResponse response = AgentCapabilitiesOf.response(config, params.clientCapabilities());
        // Set before the answer is written: the client may send its next request as soon as it has read it.
        client.initialized(params);
        return new Answer(Requests.encode(AgentMethods.INITIALIZE, response));
    }

    /** A class, because linking a lambda takes a part of the time to the first answer. */
    private record Answer(RawJson run) implements Task {}

    private AuthenticateResponse authenticate(Agent.AuthenticateHandler handler, AuthenticateRequest request)
            throws Exception {
        boolean offered = false;
        for (AuthMethod method : config.authMethods) {
            offered |= request.methodId().equals(AgentCapabilitiesOf.idOf(method));
        }
        if (!offered) {
            throw RpcError.invalidParams("params.methodId: no such authentication method: " + request.methodId());
        }
        handler.authenticate(client, request.methodId());
        return AuthenticateResponse.of();
    }

    private LogoutResponse logout(Agent.LogoutHandler handler, LogoutRequest request) throws Exception {
        handler.logout(client);
        return LogoutResponse.of();
    }

    private ListSessionsResponse list(Agent.ListSessionsHandler handler, ListSessionsRequest request) throws Exception {
        if (request.cwd() != null) {
            AgentSessions.absolute("cwd", request.cwd());
        }
        return handler.list(client, request);
    }

    private DeleteSessionResponse delete(Agent.DeleteSessionHandler handler, DeleteSessionRequest request)
            throws Exception {
        sessions.end(request.sessionId());
        handler.delete(client, request.sessionId());
        return DeleteSessionResponse.of();
    }
}
