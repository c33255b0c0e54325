package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.DeleteSessionResponse;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.LogoutResponse;
import dev.acp4j.schema.Method;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Sends each message of a client to the agent's handler for it. Before initialization only that is allowed. */
final class AgentRouter implements Handler {
    private final Agent.Builder config;
    private final ClientConnection client;
    private final AgentSessions sessions;
    private final AtomicBoolean initializing = new AtomicBoolean();
    private final CountDownLatch joined = new CountDownLatch(1);

    AgentRouter(Agent agent, ClientConnection client) {
        this.config = agent.config;
        this.client = client;
        this.sessions = new AgentSessions(agent.config, client);
    }

    void joined(Connection connection) {
        client.joined(connection);
        joined.countDown();
    }

    /** The connection has ended. */
    void ended() {
        sessions.endAll();
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

    private Task route(IncomingRequest request) {
        return switch (request.method()) {
            case "authenticate" -> task(AgentMethods.AUTHENTICATE, request, config.onAuthenticate, this::authenticate);
            case "logout" -> task(AgentMethods.LOGOUT, request, config.onLogout, this::logout);
            case "session/new" -> sessions.open(request);
            case "session/load" -> sessions.load(request);
            case "session/resume" -> sessions.resume(request);
            case "session/prompt" -> sessions.prompt(request);
            case "session/close" -> task(AgentMethods.CLOSE_SESSION, request, config.onCloseSession, sessions::close);
            case "session/list" -> {
                ListSessionsHandler handler = config.onListSessions;
                yield task(AgentMethods.LIST_SESSIONS, request, handler, handler == null ? null : handler::list);
            }
            case "session/delete" -> task(AgentMethods.DELETE_SESSION, request, config.onDeleteSession, this::delete);
            case "session/set_mode" -> task(AgentMethods.SET_MODE, request, config.onSetMode, sessions::setMode);
            case "session/set_config_option" ->
                task(AgentMethods.SET_CONFIG_OPTION, request, config.onSetConfigOption, sessions::setConfigOption);
            default -> config.extensions.task(request);
        };
    }

    /** Answers with the handler's result; a method whose handler the agent was not given does not exist. */
    private static <P, R> Task task(
            Method<P, R> method,
            IncomingRequest request,
            @Nullable Object given,
            @Nullable RequestHandler<P, R> handler) {
        if (given == null || handler == null) {
            throw RpcError.methodNotFound(method.name());
        }
        P params = Extensions.decode(method, request.params());
        return () -> Extensions.encode(method, handler.handle(params));
    }

    @Override
    public void notification(String method, @Nullable RawJson params) throws Exception {
        joined.await();
        if (!client.isInitialized()) {
            return;
        }
        if (method.equals("session/cancel")) {
            CancelNotification cancel = Extensions.decode(AgentMethods.CANCEL, params);
            client.session(cancel.sessionId()).ifPresent(AgentSession::cancel);
        } else {
            config.extensions.handle(method, params);
        }
    }

    // ---- initialization and authentication

    private Task initialize(IncomingRequest request) {
        if (client.isInitialized()) {
            throw RpcError.invalidRequest("the connection is initialized already");
        }
        InitializeRequest params = Extensions.decode(AgentMethods.INITIALIZE, request.params());
        if (params.protocolVersion() < Protocol.NEWEST) {
            throw UnsupportedVersion.error(params.protocolVersion());
        }
        if (!initializing.compareAndSet(false, true)) {
            throw RpcError.invalidRequest("another initialize is being handled");
        }
        InitializeResponse response = AgentCapabilitiesOf.response(config);
        // Set before the answer is written: the client may send its next request as soon as it has read it.
        client.initialized(params);
        return () -> Extensions.encode(AgentMethods.INITIALIZE, response);
    }

    private AuthenticateResponse authenticate(AuthenticateRequest request) throws Exception {
        boolean offered = false;
        for (AuthMethod method : config.authMethods) {
            offered |= request.methodId().equals(AgentCapabilitiesOf.idOf(method));
        }
        if (!offered || config.onAuthenticate == null) {
            throw RpcError.invalidParams("params.methodId: no such authentication method: " + request.methodId());
        }
        config.onAuthenticate.authenticate(request.methodId());
        return AuthenticateResponse.of();
    }

    private LogoutResponse logout(LogoutRequest request) throws Exception {
        if (config.onLogout != null) {
            config.onLogout.logout();
        }
        return LogoutResponse.of();
    }

    private DeleteSessionResponse delete(DeleteSessionRequest request) throws Exception {
        sessions.end(request.sessionId());
        if (config.onDeleteSession != null) {
            config.onDeleteSession.delete(request.sessionId());
        }
        return DeleteSessionResponse.of();
    }
}
