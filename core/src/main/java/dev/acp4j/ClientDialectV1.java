package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.KillTerminalResponse;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.ReadTextFileResponse;
import dev.acp4j.schema.ReleaseTerminalResponse;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionCapabilities;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionConfigValueId;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetSessionModeRequest;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.Version;
import dev.acp4j.schema.WriteTextFileResponse;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Version 1: a turn ends with the answer to its prompt, modes stand beside options, and clients have files. */
final class ClientDialectV1 extends ClientDialect {
    /** For an agent that speaks before it has answered {@code initialize}. */
    static final ClientDialectV1 UNKNOWN =
            new ClientDialectV1(InitializeResponse.builder(Version.V1.number()).build());

    private final InitializeResponse agent;

    ClientDialectV1(InitializeResponse agent) {
        super(Version.V1);
        this.agent = agent;
        AgentCapabilities offered = agent.agentCapabilities();
        SessionCapabilities sessions = offered.sessionCapabilities();
        offers(Feature.SESSIONS, true);
        offers(Feature.LOAD_SESSION, offered.loadSession());
        offers(Feature.RESUME_SESSION, sessions.resume() != null);
        offers(Feature.LIST_SESSIONS, sessions.list() != null);
        offers(Feature.CLOSE_SESSION, sessions.close() != null);
        offers(Feature.DELETE_SESSION, sessions.delete() != null);
        offers(Feature.LOGIN, !agent.authMethods().isEmpty());
        offers(Feature.LOGOUT, offered.auth().logout() != null);
        offers(Feature.ADDITIONAL_DIRECTORIES, sessions.additionalDirectories() != null);
        offers(Feature.PROMPT_IMAGES, offered.promptCapabilities().image());
        offers(Feature.PROMPT_AUDIO, offered.promptCapabilities().audio());
        offers(Feature.PROMPT_RESOURCES, offered.promptCapabilities().embeddedContext());
        offers(Feature.MCP_STDIO, true);
        offers(Feature.MCP_HTTP, offered.mcpCapabilities().http());
        offers(Feature.MCP_SSE, offered.mcpCapabilities().sse());
        offers(Feature.FORK_SESSION, sessions.fork() != null);
        offers(Feature.ARCHIVE_SESSION, sessions.archive() != null);
        offers(Feature.SESSION_STATUS, sessions.status() != null);
        offers(Feature.SET_TITLE, sessions.title() != null);
        offers(Feature.SYSTEM_PROMPT, sessions.systemPrompt() != null);
        offers(Feature.SYSTEM_PROMPT_OVERRIDE, overrides(sessions.systemPrompt()));
        offers(Feature.PROVIDERS, offered.providers() != null);
        offers(Feature.MCP_ACP, offered.mcpCapabilities().acp());
        offers(Feature.STEERING, VendorDialect.offersSteering(agent.meta()));
        offers(Feature.AUTH_STATUS, asksAuthStatus() || VendorDialect.offersAuthStatus(offered.meta()));
    }

    // ---- what the agent says of itself

    @Override
    Optional<Implementation> info() {
        return Optional.ofNullable(agent.agentInfo());
    }

    @Override
    Meta meta() {
        return agent.meta();
    }

    @Override
    List<AuthMethod> authMethods() {
        return agent.authMethods();
    }

    @Override
    Rest capabilities() {
        return agent.agentCapabilities().rest();
    }

    // ---- requests

    @Override
    Request<?, ?, Opened> newSession(SessionSetup setup) {
        return new Request<>(
                AgentMethods.NEW_SESSION,
                version(),
                NewSessionRequest.builder(setup.cwd().toString(), setup.mcpServers())
                        .additionalDirectories(texts(setup.additionalDirectories()))
                        .systemPrompt(setup.systemPrompt())
                        .meta(setup.meta())
                        .build(),
                opened -> new Opened(
                        opened.sessionId(),
                        opened.modes(),
                        VendorDialect.models(opened.rest()),
                        opened.configOptions(),
                        List.of(),
                        opened.meta()));
    }

    @Override
    Request<?, ?, Opened> loadSession(SessionId id, SessionSetup setup) {
        return new Request<>(
                AgentMethods.LOAD_SESSION,
                version(),
                LoadSessionRequest.builder(id, setup.cwd().toString(), setup.mcpServers())
                        .additionalDirectories(texts(setup.additionalDirectories()))
                        .systemPrompt(setup.systemPrompt())
                        .meta(setup.meta())
                        .build(),
                loaded -> new Opened(
                        id,
                        loaded.modes(),
                        VendorDialect.models(loaded.rest()),
                        loaded.configOptions(),
                        List.of(),
                        loaded.meta()));
    }

    @Override
    Request<?, ?, Opened> resumeSession(SessionId id, SessionSetup setup) {
        return new Request<>(
                AgentMethods.RESUME_SESSION,
                version(),
                ResumeSessionRequest.builder(id, setup.cwd().toString())
                        .additionalDirectories(texts(setup.additionalDirectories()))
                        .systemPrompt(setup.systemPrompt())
                        .mcpServers(setup.mcpServers())
                        .meta(setup.meta())
                        .build(),
                resumed -> new Opened(
                        id,
                        resumed.modes(),
                        VendorDialect.models(resumed.rest()),
                        resumed.configOptions(),
                        List.of(),
                        resumed.meta()));
    }

    @Override
    Request<?, ?, Opened> forkSession(SessionId source, SessionSetup setup) {
        return new Request<>(
                AgentMethods.FORK_SESSION,
                version(),
                fork(source, setup),
                forked -> new Opened(
                        forked.sessionId(),
                        forked.modes(),
                        VendorDialect.models(forked.rest()),
                        forked.configOptions(),
                        List.of(),
                        forked.meta()));
    }

    @Override
    boolean asksAuthStatus() {
        return agent.agentCapabilities().auth().status() != null;
    }

    @Override
    Request<?, ?, Meta> authenticate(AuthMethodId method, Meta meta) {
        return new Request<>(
                AgentMethods.AUTHENTICATE,
                version(),
                AuthenticateRequest.of(method).withMeta(meta),
                done -> done.meta());
    }

    @Override
    Request<?, ?, Meta> logout(Meta meta) {
        return new Request<>(AgentMethods.LOGOUT, version(), LogoutRequest.of().withMeta(meta), done -> done.meta());
    }

    @Override
    Request<?, ?, ? extends SessionUpdate> option(
            Session session, SessionConfigId option, SessionConfigOptionValue value, Meta meta) {
        if (!(value instanceof SessionConfigOptionValue.Id chosen)
                || !session.view().isMadeOfModes(option)) {
            return super.option(session, option, value, meta);
        }
        SessionModeId mode = SessionModeId.of(chosen.value().value());
        return new Request<>(
                AgentMethods.SET_MODE,
                version(),
                SetSessionModeRequest.of(session.id(), mode).withMeta(meta),
                response -> SessionUpdate.CurrentModeUpdate.of(mode).withMeta(response.meta()));
    }

    @Override
    void setConfigOption(Session session, SessionConfigId option, SessionConfigOptionValue value, Meta meta)
            throws InterruptedException {
        if (!(value instanceof SessionConfigOptionValue.Id chosen)
                || !session.view().isMadeOfModels(option)) {
            super.setConfigOption(session, option, value, meta);
            return;
        }
        SessionConfigValueId model = chosen.value();
        Message answer = session.agent()
                .call(
                        new Request<RawJson, RawJson, Message>(
                                VendorDialect.SET_MODEL,
                                version(),
                                VendorDialect.setModel(session.id(), model, meta),
                                (result, message) -> message),
                        session.agent().timeout(),
                        message -> session.happened(
                                session.view().model(model, new SessionEvent.Origin(Meta.EMPTY, Meta.EMPTY, message))));
        assert answer.kind() == Message.Kind.RESULT;
    }

    // ---- turns

    @Override
    Request<PromptRequest, PromptResponse, ?> prompt(SessionId id, List<ContentBlock> content, Meta meta) {
        return new Request<>(
                AgentMethods.PROMPT,
                version(),
                PromptRequest.of(id, content).withMeta(meta),
                PromptResponse::stopReason);
    }

    @Override
    boolean isAcceptedWhenSent() {
        return true;
    }

    @Override
    void promptAnswered(Turn turn, Call answered) {
        try {
            PromptResponse response = answered.result(AgentMethods.PROMPT.result(version()));
            turn.ended(new TurnResult(
                    response.stopReason(),
                    response.meta(),
                    TokenUsage.of(response.usage()),
                    answered.answer().orElse(null)));
        } catch (RpcError e) {
            turn.failed(turn.session().agent().explained(e));
        } catch (RpcException e) {
            turn.failed(e);
        }
    }

    // ---- updates of the agent

    @Override
    @Nullable
    SessionEvent terminal(SessionView view, SessionUpdate update, SessionEvent.Origin origin) {
        VendorDialect.TerminalChange change = VendorDialect.terminal(update);
        return change == null ? null : view.timeline().terminal(change, origin);
    }

    @Override
    Handler.@Nullable Delivery foldOwn(Session session, SessionUpdate update, SessionEvent.Origin origin)
            throws InterruptedException {
        SessionView view = session.view();
        return session.happened(
                switch (update) {
                    case ToolCall call -> view.timeline().toolCall(call, origin);
                    case SessionUpdate.Plan next -> view.timeline().plan(null, next.entries(), origin);
                    case SessionUpdate.CurrentModeUpdate next -> view.mode(next.currentModeId(), origin);
                    default -> other(update, origin);
                });
    }

    // ---- what the agent asks

    @Override
    Permission permission(IncomingRequest incoming) {
        RequestPermissionRequest asked =
                Requests.decode(ClientMethods.REQUEST_PERMISSION, version(), incoming.takeParams());
        return new Permission(
                asked.sessionId(), null, null, meant(asked.toolCall()), null, asked.options(), asked.meta());
    }

    @Override
    Handler.@Nullable Task task(Client.Builder config, ConnectedAgent from, IncomingRequest request) {
        Client.TerminalHandler terminals = config.terminals;
        return switch (request.method()) {
            case "fs/read_text_file" ->
                answer(ClientMethods.READ_TEXT_FILE, request, config.onReadTextFile, (files, read) -> {
                    Session session = session(from, read.sessionId());
                    return ReadTextFileResponse.of(files.read(session, read));
                });
            case "fs/write_text_file" ->
                answer(ClientMethods.WRITE_TEXT_FILE, request, config.onWriteTextFile, (files, write) -> {
                    files.write(session(from, write.sessionId()), write);
                    return WriteTextFileResponse.of();
                });
            case "terminal/create" ->
                answer(
                        ClientMethods.CREATE_TERMINAL,
                        request,
                        terminals,
                        (all, create) -> all.create(session(from, create.sessionId()), create));
            case "terminal/output" ->
                answer(
                        ClientMethods.TERMINAL_OUTPUT,
                        request,
                        terminals,
                        (all, output) -> all.output(session(from, output.sessionId()), output));
            case "terminal/wait_for_exit" ->
                answer(
                        ClientMethods.WAIT_FOR_TERMINAL_EXIT,
                        request,
                        terminals,
                        (all, wait) -> all.waitForExit(session(from, wait.sessionId()), wait));
            case "terminal/kill" ->
                answer(ClientMethods.KILL_TERMINAL, request, terminals, (all, kill) -> {
                    all.kill(session(from, kill.sessionId()), kill);
                    return KillTerminalResponse.of();
                });
            case "terminal/release" ->
                answer(ClientMethods.RELEASE_TERMINAL, request, terminals, (all, release) -> {
                    all.release(session(from, release.sessionId()), release);
                    return ReleaseTerminalResponse.of();
                });
            default -> null;
        };
    }

    private static <H, P, R> Handler.Task answer(
            Method<P, R> method, IncomingRequest request, @Nullable H handler, Requests.Answer<H, P, R> answer) {
        return Requests.task(method, Version.V1, request, handler, answer);
    }

    /** Returns the session that an agent's request is about. Only one that is open here has files and terminals. */
    private static Session session(ConnectedAgent agent, SessionId id) {
        Session session = agent.openSession(id);
        if (session == null) {
            throw RpcError.sessionNotFound(id.value());
        }
        return session;
    }
}
