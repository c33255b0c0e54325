package dev.acp4j;

import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.CloseSessionResponse;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.DeleteSessionResponse;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.LogoutResponse;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionConfigOptionResponse;
import dev.acp4j.schema.SetSessionModeRequest;
import dev.acp4j.schema.SetSessionModeResponse;
import org.jspecify.annotations.Nullable;

/** Sends each message of a client to the agent's handler for it. Before initialization only that is allowed. */
final class AgentRouter implements Handler {
    private final Agent.Builder config;
    private final ConnectedClient client;
    private final AgentSessions sessions;

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
        }
    }

    @Override
    public @Nullable Acceptance request(IncomingRequest request) {
        if (request.method().equals("initialize")) {
            initialize(request);
            return null;
        }
        if (!client.isInitialized()) {
            throw RpcError.invalidRequest("initialize first, then " + request.method());
        }
        if (request.method().equals("session/prompt") && !config.extensions.handles(request.method())) {
            return sessions.prompt(client, request);
        }
        return () -> route(request);
    }

    private Task route(IncomingRequest request) {
        if (config.extensions.handles(request.method())) {
            return config.extensions.task(client, request);
        }
        return switch (request.method()) {
            case "authenticate" ->
                Requests.task(AgentMethods.AUTHENTICATE, request, config.onAuthenticate, this::authenticate);
            case "logout" -> Requests.task(AgentMethods.LOGOUT, request, config.onLogout, this::logout);
            case "session/new" -> sessions.open(client, request);
            case "session/load" -> sessions.load(client, request);
            case "session/resume" -> sessions.resume(client, request);
            case "session/close" ->
                Requests.task(AgentMethods.CLOSE_SESSION, request, config.onCloseSession, this::close);
            case "session/list" ->
                Requests.task(AgentMethods.LIST_SESSIONS, request, config.onListSessions, this::list);
            case "session/delete" ->
                Requests.task(AgentMethods.DELETE_SESSION, request, config.onDeleteSession, this::delete);
            case "session/set_mode" -> Requests.task(AgentMethods.SET_MODE, request, config.onSetMode, this::setMode);
            case "session/set_config_option" ->
                Requests.task(AgentMethods.SET_CONFIG_OPTION, request, config.onSetConfigOption, this::setConfigOption);
            default -> config.extensions.task(client, request);
        };
    }

    @Override
    public @Nullable Delivery notification(Message message) {
        if (!client.isInitialized()) {
            return null;
        }
        if (message.method().equals("session/cancel") && !config.extensions.receives(message.method())) {
            // Takes effect at once, whatever the session's handlers do.
            client.session(Requests.decode(AgentMethods.CANCEL, message.params())
                            .sessionId())
                    .ifPresent(session -> session.state().cancel());
            return null;
        }
        return () -> Extensions.reportUnless(
                config.extensions.handle(client, message.method(), message.params()),
                message.method(),
                config.onProblem);
    }

    // ---- initialization and authentication

    /** Answers at once: a client need not wait for the answer before it sends more. */
    private void initialize(IncomingRequest request) {
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
        request.answer(Requests.encode(AgentMethods.INITIALIZE, response));
    }

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
        sessions.end(client, request.sessionId());
        handler.delete(client, request.sessionId());
        return DeleteSessionResponse.of();
    }

    // ---- sessions

    private CloseSessionResponse close(Agent.SessionHandler handler, CloseSessionRequest request) throws Exception {
        return sessions.close(client, request);
    }

    private SetSessionModeResponse setMode(Agent.SetModeHandler handler, SetSessionModeRequest request)
            throws Exception {
        return sessions.setMode(client, handler, request);
    }

    private SetSessionConfigOptionResponse setConfigOption(
            Agent.SetConfigOptionHandler handler, SetSessionConfigOptionRequest request) throws Exception {
        return sessions.setConfigOption(client, handler, request);
    }
}
