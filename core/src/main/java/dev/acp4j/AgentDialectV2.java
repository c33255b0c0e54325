package dev.acp4j;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentAuthCapabilities;
import dev.acp4j.schema.AgentCapabilitiesV2;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthStatusCapabilities;
import dev.acp4j.schema.AuthenticateResponse;
import dev.acp4j.schema.CancelTerminalResponse;
import dev.acp4j.schema.CancelToolCallResponse;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientCapabilitiesV2;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CloseSessionResponse;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.ElicitationCapabilities;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListSessionsResponse;
import dev.acp4j.schema.LogoutResponse;
import dev.acp4j.schema.McpAcpCapabilities;
import dev.acp4j.schema.McpCapabilitiesV2;
import dev.acp4j.schema.McpHttpCapabilities;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpStdioCapabilities;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.PromptAudioCapabilities;
import dev.acp4j.schema.PromptCapabilitiesV2;
import dev.acp4j.schema.PromptEmbeddedContextCapabilities;
import dev.acp4j.schema.PromptImageCapabilities;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponseV2;
import dev.acp4j.schema.ReplayFrom;
import dev.acp4j.schema.RequestPermissionRequestV2;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionAdditionalDirectoriesCapabilities;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionDeleteCapabilities;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetSessionConfigOptionResponse;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Version 2: a prompt is answered when the agent has taken it, and a turn ends when the agent is idle. */
final class AgentDialectV2 extends AgentDialect {
    private static final PlanId MAIN = PlanId.of("main");

    /** What every client of version 2 has. */
    private static final List<Feature> OF_ALL = List.of(
            Feature.NOTICES,
            Feature.COMPACTION,
            Feature.BOOLEAN_OPTIONS,
            Feature.AGENT_TERMINALS,
            Feature.PLANS,
            Feature.SUBAGENTS);

    private final InitializeRequest client;

    AgentDialectV2(InitializeRequest client, Set<Feature> on, Consumer<Problem> onProblem) {
        super(Version.V2, on, onProblem);
        this.client = client;
        ClientCapabilitiesV2 offered = client.capabilities();
        ElicitationCapabilities elicitation = offered.elicitation();
        offers(Feature.FORMS, elicitation != null && elicitation.form() != null);
        offers(Feature.PAGES, elicitation != null && elicitation.url() != null);
        offers(Feature.TERMINAL_LOGIN, offered.auth() != null && offered.auth().terminal() != null);
        for (Feature ofAll : OF_ALL) {
            offers(ofAll, true);
        }
    }

    // ---- what the client says of itself

    @Override
    Optional<Implementation> info() {
        return Optional.ofNullable(client.info());
    }

    @Override
    Meta meta() {
        return client.meta();
    }

    @Override
    Rest capabilities() {
        return client.capabilities().rest();
    }

    // ---- requests of the client

    @Override
    RawJson initialized(Agent.Builder agent) {
        AuthStatusCapabilities status = AgentCapabilitiesOf.authStatus(agent);
        return encode(
                AgentMethods.INITIALIZE,
                InitializeResponse.builder(version().number())
                        .capabilities(new AgentCapabilitiesV2(
                                agent.hasSessions() ? sessions(agent) : null,
                                status == null ? null : new AgentAuthCapabilities(null, status, Rest.NONE),
                                AgentCapabilitiesOf.providers(agent),
                                agent.unknown(this)))
                        .authMethods(logins(agent))
                        .info(agent.info())
                        .meta(agent.meta)
                        .build());
    }

    private static SessionCapabilitiesV2 sessions(Agent.Builder agent) {
        Set<Feature> supported = agent.supported;
        PromptCapabilitiesV2 prompt = new PromptCapabilitiesV2(
                supported.contains(Feature.PROMPT_IMAGES) ? PromptImageCapabilities.of() : null,
                supported.contains(Feature.PROMPT_AUDIO) ? PromptAudioCapabilities.of() : null,
                supported.contains(Feature.PROMPT_RESOURCES) ? PromptEmbeddedContextCapabilities.of() : null,
                Rest.NONE);
        McpCapabilitiesV2 mcp = new McpCapabilitiesV2(
                supported.contains(Feature.MCP_STDIO) ? McpStdioCapabilities.of() : null,
                supported.contains(Feature.MCP_HTTP) ? McpHttpCapabilities.of() : null,
                supported.contains(Feature.MCP_ACP) ? McpAcpCapabilities.of() : null,
                Rest.NONE);
        return new SessionCapabilitiesV2(
                prompt,
                mcp,
                agent.handles(agent.onDeleteSession, AgentMethods.DELETE_SESSION)
                        ? SessionDeleteCapabilities.of()
                        : null,
                supported.contains(Feature.ADDITIONAL_DIRECTORIES)
                        ? SessionAdditionalDirectoriesCapabilities.of()
                        : null,
                AgentCapabilitiesOf.archive(agent),
                AgentCapabilitiesOf.fork(agent),
                AgentCapabilitiesOf.status(agent),
                AgentCapabilitiesOf.systemPrompt(agent),
                AgentCapabilitiesOf.title(agent),
                Rest.NONE);
    }

    @Override
    Handler.@Nullable Task task(AgentSessions sessions, ConnectedClient from, IncomingRequest request) {
        Agent.Builder agent = sessions.config;
        return switch (request.method()) {
            case "session/new" -> open(sessions, from, request);
            case "session/resume" -> resume(sessions, from, request);
            case "session/close" ->
                answer(AgentMethods.CLOSE_SESSION, request, sessions, (all, close) -> {
                    all.end(from, close.sessionId());
                    return CloseSessionResponse.of();
                });
            case "session/list" -> list(sessions, from, request);
            case "session/delete" -> delete(sessions, from, request);
            case "session/set_config_option" ->
                answer(
                        AgentMethods.SET_CONFIG_OPTION,
                        request,
                        sessions,
                        (all, set) -> SetSessionConfigOptionResponse.of(
                                all.setOption(from, set.sessionId(), set.configId(), set.value())));
            case "tool_call/cancel" ->
                answer(AgentMethods.CANCEL_TOOL_CALL, request, sessions, (all, cancel) -> {
                    all.cancel(from, cancel.sessionId(), "toolCallId", cancel.toolCallId());
                    return CancelToolCallResponse.of();
                });
            case "terminal/cancel" ->
                answer(AgentMethods.CANCEL_TERMINAL, request, sessions, (all, cancel) -> {
                    all.cancel(from, cancel.sessionId(), "terminalId", cancel.terminalId());
                    return CancelTerminalResponse.of();
                });
            case "auth/login" ->
                answer(AgentMethods.LOGIN, request, agent.onAuthenticate, (handler, login) -> {
                    authenticate(agent, from, handler, login.methodId());
                    return AuthenticateResponse.of();
                });
            case "auth/logout" ->
                answer(AgentMethods.LOGOUT_V2, request, agent.onLogout, (handler, logout) -> {
                    handler.logout(from);
                    return LogoutResponse.of();
                });
            default -> draft(sessions, from, request);
        };
    }

    /** Without a handler, the sessions that live. */
    private Handler.Task list(AgentSessions sessions, ConnectedClient from, IncomingRequest request) {
        return answer(AgentMethods.LIST_SESSIONS, request, sessions, (all, list) -> {
            check(sessions.config, list);
            Agent.ListSessionsHandler handler = sessions.config.onListSessions;
            return handler != null
                    ? handler.list(from, list)
                    : ListSessionsResponse.builder(all.live(list.cwd())).build();
        });
    }

    // ---- opening

    /**
     * Resuming with a replay is loading. Without one, an agent that can only load does so, and the conversation is not
     * sent; one that can do neither attaches the client to a session that lives.
     */
    @Override
    Resuming resuming(Agent.Builder agent, ResumeSessionRequest asked) {
        boolean replays = replays(asked.replayFrom());
        if (replays && agent.onLoadSession == null) {
            throw RpcError.invalidParams("params.replayFrom: this agent keeps no conversations to replay");
        }
        boolean mutes = !replays && agent.onResumeSession == null;
        return new Resuming(replays || mutes ? agent.onLoadSession : agent.onResumeSession, mutes);
    }

    @Override
    @Nullable
    SessionModeState shownModes(AgentSession session) {
        return null;
    }

    /** The modes are one of the options. */
    @Override
    List<SessionConfigOption> shownOptions(AgentSession session) {
        return session.state().offered().all();
    }

    private static boolean replays(@Nullable ReplayFrom from) {
        if (from instanceof ReplayFrom.Unknown unknown) {
            throw RpcError.invalidParams("params.replayFrom.type: expected \"start\", got \"" + unknown.type() + "\"");
        }
        return from != null;
    }

    /** Refuses two servers of one name, and those that the agent cannot connect to. */
    @Override
    List<McpServer> offered(Agent.Builder agent, List<McpServer> servers) {
        Set<String> names = new HashSet<>();
        for (McpServer server : servers) {
            String name = switch (server) {
                case McpServer.Stdio local -> name(agent, Feature.MCP_STDIO, "stdio", local.name());
                case McpServer.Http remote -> name(agent, Feature.MCP_HTTP, "http", remote.name());
                case McpServer.Sse old -> throw unsupported("sse", old.name());
                case McpServer.Acp draft -> name(agent, Feature.MCP_ACP, "acp", draft.name());
                case McpServer.Unknown unknown -> throw unsupported(unknown.type(), "");
            };
            if (!names.add(name)) {
                throw new RpcError(
                        RpcError.INVALID_PARAMS,
                        "params.mcpServers: two servers are called \"" + name + "\"",
                        data("name", name));
            }
        }
        return servers;
    }

    private static String name(Agent.Builder agent, Feature needed, String type, String name) {
        if (!agent.supported.contains(needed)) {
            throw unsupported(type, name);
        }
        return name;
    }

    private static RpcError unsupported(String type, String server) {
        return new RpcError(
                RpcError.INVALID_PARAMS,
                "params.mcpServers: " + (server.isEmpty() ? "" : "the server \"" + server + "\": ")
                        + "this agent connects to no servers of the type \"" + type + "\"",
                data("type", type));
    }

    static RawJson data(String name, String value) {
        JsonWriter data = new JsonWriter();
        data.beginObject();
        data.name(name);
        data.string(value);
        data.endObject();
        return data.toRawJson();
    }

    // ---- turns

    @Override
    Prompt prompt(IncomingRequest incoming) {
        PromptRequest asked = Requests.decode(AgentMethods.PROMPT_V2, version(), incoming.takeParams());
        if (asked.prompt().isEmpty()) {
            throw RpcError.invalidParams("params.prompt: expected content");
        }
        return new Prompt(asked.sessionId(), asked.prompt(), asked.meta());
    }

    @Override
    RawJson accepted(MessageId message) {
        return encode(AgentMethods.PROMPT_V2, PromptResponseV2.of(message));
    }

    @Override
    RawJson answer(AgentTurn turn) {
        throw RpcError.cancelled();
    }

    // ---- updates

    @Override
    List<SessionUpdate> shown(SessionUpdate update, AgentSessionState session, @Nullable PlanId lastPlan) {
        if (update instanceof SessionUpdate.Chunk) {
            return List.of(update);
        }
        if (update instanceof ToolCallUpdate change) {
            return List.of(patched(change));
        }
        if (update instanceof ToolCall call) {
            return List.of(update(call));
        }
        if (update instanceof SessionUpdate.ToolCallContentChunk piece
                && piece.content() instanceof ToolCallContent.Diff diff) {
            return List.of(new SessionUpdate.ToolCallContentChunk(piece.toolCallId(), GitPatch.of(diff), piece.rest()));
        }
        if (update instanceof SessionUpdate.Plan plan) {
            return List.of(SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(MAIN, plan.entries()))
                    .withMeta(plan.meta()));
        }
        if (update instanceof SessionUpdate.CurrentModeUpdate change) {
            return List.of(
                    SessionUpdate.ConfigOptionUpdate.of(session.offered().all()).withMeta(change.meta()));
        }
        if (update instanceof SessionUpdate.ConfigOptionUpdate change) {
            return List.of(
                    SessionUpdate.ConfigOptionUpdate.of(session.offered().all()).withMeta(change.meta()));
        }
        if (update instanceof SessionUpdate.PlanUpdate || update instanceof SessionUpdate.PlanRemoved) {
            return List.of(isOn(Feature.PLANS) ? update : items(update));
        }
        return isOfSubagents(update) && !isOn(Feature.SUBAGENTS) ? List.of() : List.of(update);
    }

    /** Returns a plan as one of items, which is stable. */
    private static SessionUpdate items(SessionUpdate update) {
        if (update instanceof SessionUpdate.PlanRemoved gone) {
            return SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(gone.planId(), List.of()))
                    .withMeta(gone.meta());
        }
        if (!(update instanceof SessionUpdate.PlanUpdate change) || change.plan() instanceof PlanUpdateContent.Items) {
            return update;
        }
        PlanId id = idOf(change.plan());
        List<PlanEntry> tasks = tasks(change.plan());
        return id == null || tasks == null
                ? update
                : SessionUpdate.PlanUpdate.of(PlanUpdateContent.Items.of(id, tasks))
                        .withMeta(change.meta());
    }

    @Override
    List<SessionConfigOption> shownOptions(List<SessionConfigOption> options) {
        return options;
    }

    /** Returns what announces a tool call. What it has not is cleared: the call may have been announced before. */
    private static ToolCallUpdate update(ToolCall call) {
        return new ToolCallUpdate(
                call.toolCallId(),
                Change.replace(call.title()),
                replaced(call.name()),
                Change.replace(call.kind()),
                Change.replace(call.status()),
                Change.replace(patched(call.content())),
                Change.replace(call.locations()),
                replaced(call.rawInput()),
                replaced(call.rawOutput()),
                Change.keep(),
                call.rest());
    }

    private static <T> Change<T> replaced(@Nullable T value) {
        return value == null ? Change.clear() : Change.replace(value);
    }

    private static ToolCallUpdate patched(ToolCallUpdate change) {
        List<ToolCallContent> content = change.content().applyTo(null);
        return content == null || content.isEmpty()
                ? change
                : change.toBuilder().content(patched(content)).build();
    }

    private static List<ToolCallContent> patched(List<ToolCallContent> content) {
        List<ToolCallContent> patched = new ArrayList<>(content.size());
        for (ToolCallContent one : content) {
            patched.add(one instanceof ToolCallContent.Diff diff ? GitPatch.of(diff) : one);
        }
        return patched;
    }

    // ---- what the agent asks

    @Override
    Request<?, ?, PermissionAnswer> permission(SessionId session, Permission asked) {
        RequestPermissionSubject subject = asked.subject() instanceof RequestPermissionSubject.ToolCall about
                ? new RequestPermissionSubject.ToolCall(patched(about.toolCall()), about.rest())
                : asked.subject();
        return new Request<>(
                ClientMethods.REQUEST_PERMISSION_V2,
                version(),
                RequestPermissionRequestV2.builder(session, asked.title(), asked.options())
                        .description(asked.description())
                        .subject(subject)
                        .meta(asked.meta())
                        .build(),
                (response, answer) ->
                        new PermissionAnswer(response.outcome(), asked.options(), response.meta(), answer));
    }

    @Override
    CreateElicitationRequest shown(CreateElicitationRequest asked) {
        return asked;
    }
}
