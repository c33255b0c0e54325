package dev.acp4j;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.ClientCapabilities;
import dev.acp4j.schema.ClientCapabilitiesV2;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ClientSessionCapabilities;
import dev.acp4j.schema.CloseSessionResponse;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationCapabilities;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.LoadSessionRequest;
import dev.acp4j.schema.LoadSessionResponse;
import dev.acp4j.schema.LogoutResponse;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponse;
import dev.acp4j.schema.RequestPermissionRequest;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetSessionConfigOptionResponse;
import dev.acp4j.schema.SetSessionModeResponse;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Version 1: a prompt is answered when its turn has ended. */
final class AgentDialectV1 extends AgentDialect {
    private final InitializeRequest client;
    private final boolean wantsDeltas;

    AgentDialectV1(InitializeRequest client, Set<Feature> on, Consumer<Problem> onProblem) {
        super(Version.V1, on, onProblem);
        this.client = client.protocolVersion() > Version.V1.number() ? inVersion1(client) : client;
        this.wantsDeltas =
                VendorDialect.wantsDeltas(this.client.clientCapabilities().meta());
        ClientCapabilities offered = this.client.clientCapabilities();
        ClientSessionCapabilities session = offered.session();
        ElicitationCapabilities elicitation = offered.elicitation();
        offers(Feature.READ_FILES, offered.fs().readTextFile());
        offers(Feature.WRITE_FILES, offered.fs().writeTextFile());
        offers(Feature.TERMINALS, offered.terminal());
        offers(Feature.FORMS, elicitation != null && elicitation.form() != null);
        offers(Feature.PAGES, elicitation != null && elicitation.url() != null);
        offers(Feature.NOTICES, session != null && session.notices() != null);
        offers(Feature.COMPACTION, session != null && session.compaction() != null);
        offers(
                Feature.BOOLEAN_OPTIONS,
                session != null
                        && session.configOptions() != null
                        && session.configOptions().toggle() != null);
        offers(Feature.TERMINAL_LOGIN, offered.auth().terminal());
        offers(Feature.AGENT_TERMINALS, VendorDialect.showsTerminals(offered.meta()));
        offers(Feature.PLANS, offered.plan() != null);
        offers(Feature.SUBAGENTS, offered.subagents() != null);
    }

    /** Adds the members of version 1 to the request of a client that describes itself in version 2 alone. */
    private static InitializeRequest inVersion1(InitializeRequest client) {
        boolean isDescribed = client.info() != null || !client.capabilities().equals(ClientCapabilitiesV2.NONE);
        boolean wasDescribed = !client.clientCapabilities().equals(ClientCapabilities.NONE);
        return client.toBuilder()
                .clientInfo(client.clientInfo() == null ? client.info() : client.clientInfo())
                .clientCapabilities(
                        wasDescribed || !isDescribed
                                ? client.clientCapabilities()
                                : ClientCapabilitiesOf.inVersion1(client.capabilities()))
                .build();
    }

    // ---- what the client says of itself

    @Override
    Optional<Implementation> info() {
        return Optional.ofNullable(client.clientInfo());
    }

    @Override
    Meta meta() {
        return client.meta();
    }

    @Override
    Rest capabilities() {
        return client.clientCapabilities().rest();
    }

    // ---- requests of the client

    @Override
    RawJson initialized(Agent.Builder agent) {
        return Requests.encode(
                AgentMethods.INITIALIZE,
                version(),
                AgentCapabilitiesOf.response(agent, logins(agent), agent.unknown(this)));
    }

    @Override
    Handler.@Nullable Task task(AgentSessions sessions, ConnectedClient from, IncomingRequest request) {
        Agent.Builder agent = sessions.config;
        return switch (request.method()) {
            case "session/new" -> open(sessions, from, request);
            case "session/load" -> load(sessions, from, request);
            case "session/resume" -> {
                Agent.SessionHandler unused = required(agent.onResumeSession, request);
                yield resume(sessions, from, request);
            }
            case "session/close" ->
                answer(AgentMethods.CLOSE_SESSION, request, agent.onCloseSession, (handler, close) -> {
                    sessions.end(from, close.sessionId());
                    return CloseSessionResponse.of();
                });
            case "session/list" ->
                answer(AgentMethods.LIST_SESSIONS, request, agent.onListSessions, (handler, list) -> {
                    check(agent, list);
                    return handler.list(from, list);
                });
            case "session/delete" -> delete(sessions, from, request);
            case "session/set_mode" ->
                answer(AgentMethods.SET_MODE, request, agent.onSetMode, (handler, set) -> {
                    sessions.setMode(from, handler, set.sessionId(), set.modeId());
                    return SetSessionModeResponse.of();
                });
            case "session/set_config_option" ->
                answer(
                        AgentMethods.SET_CONFIG_OPTION,
                        request,
                        agent.onSetConfigOption,
                        (handler, set) -> SetSessionConfigOptionResponse.of(
                                sessions.setConfigOption(from, handler, set.sessionId(), set.configId(), set.value())));
            case "authenticate" ->
                answer(AgentMethods.AUTHENTICATE, request, agent.onAuthenticate, (handler, login) -> {
                    authenticate(agent, from, handler, login.methodId());
                    return AuthenticateResponse.of();
                });
            case "logout" ->
                answer(AgentMethods.LOGOUT, request, agent.onLogout, (handler, logout) -> {
                    handler.logout(from);
                    return LogoutResponse.of();
                });
            default -> draft(sessions, from, request);
        };
    }

    // ---- opening

    private Handler.Task load(AgentSessions sessions, ConnectedClient from, IncomingRequest incoming) {
        Agent.SessionHandler handler = required(sessions.config.onLoadSession, incoming);
        int bytes = sessions.requireRoom(incoming);
        LoadSessionRequest asked = Requests.decode(AgentMethods.LOAD_SESSION, version(), incoming.takeParams());
        SessionSetup setup = setup(
                sessions.config,
                asked.cwd(),
                asked.additionalDirectories(),
                asked.mcpServers(),
                asked.systemPrompt(),
                asked.rest());
        return sessions.reopen(
                from,
                asked.sessionId(),
                setup,
                handler,
                false,
                bytes,
                session -> encode(
                        AgentMethods.LOAD_SESSION,
                        LoadSessionResponse.builder()
                                .modes(shownModes(session))
                                .configOptions(shownOptions(session))
                                .meta(session.responseMeta())
                                .build()));
    }

    @Override
    Resuming resuming(Agent.Builder agent, ResumeSessionRequest asked) {
        return new Resuming(agent.onResumeSession, false);
    }

    @Override
    @Nullable
    SessionModeState shownModes(AgentSession session) {
        return session.modes();
    }

    @Override
    List<SessionConfigOption> shownOptions(AgentSession session) {
        return shownOptions(session.configOptions());
    }

    /**
     * Returns the MCP servers that the agent can connect to. An agent that connects servers refuses the others. One
     * that connects none leaves them out, which is reported: clients send all servers of the user, and without them a
     * session is worth more than none.
     */
    @Override
    List<McpServer> offered(Agent.Builder agent, List<McpServer> servers) {
        List<McpServer> offered = new ArrayList<>(servers.size());
        for (McpServer server : servers) {
            Feature needed = server instanceof McpServer.Http
                    ? Feature.MCP_HTTP
                    : server instanceof McpServer.Sse
                            ? Feature.MCP_SSE
                            : server instanceof McpServer.Acp ? Feature.MCP_ACP : null;
            if (needed == null || agent.supported.contains(needed)) {
                offered.add(server);
            } else if (agent.supported.contains(Feature.MCP_STDIO)) {
                throw RpcError.invalidParams(
                        "params.mcpServers: the server \"" + name(server) + "\": this agent does not offer " + needed);
            } else {
                agent.onProblem.accept(new Problem(
                        Problem.Kind.MALFORMED,
                        "left out a server of the client: this agent does not offer " + needed,
                        null));
            }
        }
        return offered;
    }

    private static String name(McpServer server) {
        return switch (server) {
            case McpServer.Stdio local -> local.name();
            case McpServer.Http remote -> remote.name();
            case McpServer.Sse old -> old.name();
            case McpServer.Acp draft -> draft.name();
            case McpServer.Unknown unknown -> unknown.type();
        };
    }

    // ---- updates

    @Override
    List<SessionUpdate> shown(SessionUpdate update, AgentSessionState session, @Nullable PlanId lastPlan) {
        // Not a switch over types, whose first use takes a part of the time to the first update.
        if (update instanceof SessionUpdate.Chunk) {
            return List.of(update);
        }
        if (update instanceof ToolCall call) {
            return List.of(ValuesOfVersion1.plain(call));
        }
        if (update instanceof ToolCallUpdate change) {
            ToolCallUpdate plain = ValuesOfVersion1.plain(change);
            return List.of(wantsDeltas && !plain.meta().isEmpty() ? VendorDialect.withDeltas(plain) : plain);
        }
        if (update instanceof Notice) {
            return supports(Feature.NOTICES) ? List.of(update) : List.of();
        }
        if (update instanceof CompactionUpdate || update instanceof CompactionSummaryChunk) {
            return supports(Feature.COMPACTION) ? List.of(update) : List.of();
        }
        if (update instanceof SessionUpdate.ConfigOptionUpdate change && !supports(Feature.BOOLEAN_OPTIONS)) {
            return List.of(SessionUpdate.ConfigOptionUpdate.of(shownOptions(change.configOptions()))
                    .withMeta(change.meta()));
        }
        if (update instanceof SessionUpdate.Plan plan) {
            List<PlanEntry> tasks = ValuesOfVersion1.plain(plan.entries());
            return List.of(
                    tasks.equals(plan.entries())
                            ? plan
                            : SessionUpdate.Plan.of(tasks).withMeta(plan.meta()));
        }
        if (update instanceof SessionUpdate.PlanUpdate change) {
            return plan(change);
        }
        if (update instanceof SessionUpdate.PlanRemoved gone) {
            // The plan by this id may be the one that the client shows.
            return shows(Feature.PLANS)
                    ? List.of(update)
                    : gone.planId().equals(lastPlan)
                            ? List.of(SessionUpdate.Plan.of(List.of()).withMeta(gone.meta()))
                            : List.of();
        }
        if (isOfSubagents(update)) {
            return shows(Feature.SUBAGENTS) ? List.of(update) : List.of();
        }
        return update instanceof StateUpdate ? List.of() : List.of(update);
    }

    @Override
    List<SessionConfigOption> shownOptions(List<SessionConfigOption> options) {
        if (supports(Feature.BOOLEAN_OPTIONS)) {
            return options;
        }
        List<SessionConfigOption> shown = new ArrayList<>();
        for (SessionConfigOption option : options) {
            if (!(option instanceof SessionConfigOption.Toggle)) {
                shown.add(option);
            }
        }
        return shown;
    }

    /** Returns a plan by id; for clients that know none the one plan. */
    private List<SessionUpdate> plan(SessionUpdate.PlanUpdate change) {
        boolean isById = shows(Feature.PLANS);
        List<PlanEntry> tasks = tasks(change.plan());
        if (isById && !(change.plan() instanceof PlanUpdateContent.Items)) {
            return List.of(change);
        }
        if (isById && change.plan() instanceof PlanUpdateContent.Items items) {
            return List.of(new SessionUpdate.PlanUpdate(
                    new PlanUpdateContent.Items(items.planId(), ValuesOfVersion1.plain(items.entries()), items.rest()),
                    change.rest()));
        }
        return tasks == null
                ? List.of()
                : List.of(SessionUpdate.Plan.of(ValuesOfVersion1.plain(tasks)).withMeta(change.meta()));
    }

    // ---- turns

    @Override
    Prompt prompt(IncomingRequest incoming) {
        PromptRequest asked = Requests.decode(AgentMethods.PROMPT, version(), incoming.takeParams());
        return new Prompt(asked.sessionId(), asked.prompt(), asked.meta());
    }

    @Override
    @Nullable
    RawJson accepted(MessageId message) {
        return null;
    }

    @Override
    RawJson answer(AgentTurn turn) {
        StopReason reason = turn.stopReason();
        return encode(
                AgentMethods.PROMPT,
                new PromptResponse(
                        ValuesOfVersion1.plain(reason),
                        TokenUsage.reported(turn.tokens()),
                        Rest.of(ValuesOfVersion1.meta(reason, turn.responseMeta()))));
    }

    // ---- what the agent asks

    @Override
    Request<?, ?, PermissionAnswer> permission(SessionId session, Permission asked) {
        List<PermissionOption> shown = ValuesOfVersion1.options(asked.options());
        return new Request<>(
                ClientMethods.REQUEST_PERMISSION,
                version(),
                RequestPermissionRequest.of(session, ValuesOfVersion1.plain(asked.call()), shown)
                        .withMeta(asked.meta()),
                (response, answer) -> new PermissionAnswer(response.outcome(), shown, response.meta(), answer));
    }

    @Override
    CreateElicitationRequest shown(CreateElicitationRequest asked) {
        return ValuesOfVersion1.plain(asked);
    }
}
