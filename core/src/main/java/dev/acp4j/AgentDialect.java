package dev.acp4j;

import dev.acp4j.json.Codec;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ArchiveSessionResponse;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthStatusResponse;
import dev.acp4j.schema.AuthStatusUpdateNotification;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.DeleteSessionResponse;
import dev.acp4j.schema.DisableProviderResponse;
import dev.acp4j.schema.ForkSessionRequest;
import dev.acp4j.schema.ForkSessionResponse;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.ListProvidersResponse;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.NewSessionResponse;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.PlanEntryPriority;
import dev.acp4j.schema.PlanEntryStatus;
import dev.acp4j.schema.PlanId;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.ResumeSessionResponse;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionMessage;
import dev.acp4j.schema.SessionMessageChunk;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionStatus;
import dev.acp4j.schema.SessionStatusResponse;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.SetProviderResponse;
import dev.acp4j.schema.SetSessionTitleResponse;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.SystemPrompt;
import dev.acp4j.schema.SystemPromptMode;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.UnarchiveSessionResponse;
import dev.acp4j.schema.Version;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * How an agent speaks with one client: all that differs between the versions of the protocol. It is bound when
 * {@code initialize} is read, before anything behind it. What an agent says of a session is a {@link SessionUpdate},
 * the same for all clients; each client gets it as its version has it.
 *
 * <p>It keeps no state beside what the client said of itself.
 */
abstract sealed class AgentDialect extends Dialect permits AgentDialectV1, AgentDialectV2 {
    /** What a client asks in a prompt. */
    record Prompt(SessionId session, List<ContentBlock> content, Meta meta) {}

    /**
     * A question whether the agent may do something.
     *
     * @param call the tool call that it is about; in version 1, which has no other questions
     */
    record Permission(
            String title,
            @Nullable String description,
            @Nullable RequestPermissionSubject subject,
            ToolCallUpdate call,
            List<PermissionOption> options,
            Meta meta) {
        /** Returns a question about a tool call. */
        static Permission of(ToolCallUpdate call, List<PermissionOption> options, Meta meta) {
            String title = call.title().applyTo(null);
            String name = call.name().applyTo(null);
            return new Permission(
                    title != null
                            ? title
                            : name != null ? name : call.toolCallId().value(),
                    null,
                    RequestPermissionSubject.ToolCall.of(call),
                    call,
                    options,
                    meta);
        }

        /**
         * Returns a question about a subject, or about none.
         *
         * @param own the id of a tool call that is made for version 1, if the subject is none
         */
        static Permission of(
                ToolCallId own,
                String title,
                @Nullable String description,
                @Nullable RequestPermissionSubject subject,
                List<PermissionOption> options,
                Meta meta) {
            // What tool calls contain is not replaced by what a question says.
            String all = description == null ? title : title + ": " + description;
            ToolCallUpdate call = switch (subject) {
                case RequestPermissionSubject.ToolCall about ->
                    about.toolCall().toBuilder().title(all).build();
                case RequestPermissionSubject.Command command -> {
                    ToolCallId known = command.toolCallId();
                    yield known != null
                            ? ToolCallUpdate.builder(known).title(all).build()
                            : made(own, title, description, "In " + command.cwd() + ": " + command.command())
                                    .kind(ToolKind.EXECUTE)
                                    .build();
                }
                case null, default -> made(own, title, description, null).build();
            };
            return new Permission(title, description, subject, call, options, meta);
        }

        private static ToolCallUpdateBuilder made(
                ToolCallId own, String title, @Nullable String description, @Nullable String command) {
            List<ToolCallContent> content = new ArrayList<>();
            for (String text : Arrays.asList(description, command)) {
                if (text != null) {
                    content.add(ToolCallContent.text(text));
                }
            }
            return ToolCallUpdate.builder(own).title(title).content(content);
        }
    }

    /** Nearly all messages of a turn have this method. */
    private static final Names UPDATE = Names.of(ClientMethods.UPDATE.name());

    private final Codec<SessionNotification> update;
    private final Consumer<Problem> onProblem;

    /** What the agent has switched on. */
    private final Set<Feature> on;

    AgentDialect(Version version, Set<Feature> on, Consumer<Problem> onProblem) {
        super(version);
        this.on = on;
        this.onProblem = onProblem;
        this.update = ClientMethods.UPDATE.params(version);
    }

    /**
     * Returns how to speak with the client that asks to initialize the connection: in the newest version of the agent
     * at or below the one that the client asks for.
     *
     * @throws RpcError when the agent speaks none
     */
    static AgentDialect of(Message initialize, Agent.Builder agent) {
        InitializeRequest client = Requests.decode(AgentMethods.INITIALIZE, Version.V1, initialize.params());
        int asked = client.protocolVersion();
        Version version = UnsupportedVersion.newest(agent.versions, asked);
        if (version == null) {
            throw UnsupportedVersion.error(asked, agent.versions);
        }
        if (version == Version.V1) {
            return new AgentDialectV1(client, agent.supported, agent.onProblem);
        }
        // A newer version may describe clients otherwise; what is asked for by its number is exact.
        if (client.info() == null && asked == version.number()) {
            throw RpcError.invalidParams("params.info: expected the name and version of the client, as version "
                    + version.number() + " requires");
        }
        return new AgentDialectV2(client, agent.supported, agent.onProblem);
    }

    /** Returns whether the agent has switched a feature on. */
    final boolean isOn(Feature feature) {
        return on.contains(feature);
    }

    /** Returns whether the agent has switched updates on that the client shows. */
    final boolean shows(Feature feature) {
        return isOn(feature) && supports(feature);
    }

    // ---- requests of the client

    /** Returns the answer of {@code initialize}. */
    abstract RawJson initialized(Agent.Builder agent);

    /** Returns what answers a request; null when this version has no such method. */
    abstract Handler.@Nullable Task task(AgentSessions sessions, ConnectedClient client, IncomingRequest request);

    /** Answers a request of one version's methods; a method without a handler does not exist. */
    final <H, P, R> Handler.Task answer(
            Method<P, R> method, IncomingRequest request, @Nullable H handler, Requests.Answer<H, P, R> answer) {
        return Requests.task(method, version(), request, handler, answer);
    }

    final <R> RawJson encode(Method<?, R> method, R response) {
        return Requests.encode(method, version(), response);
    }

    static <H> H required(@Nullable H handler, IncomingRequest request) {
        if (handler == null) {
            throw RpcError.methodNotFound(request.method());
        }
        return handler;
    }

    // ---- opening

    final Handler.Task open(AgentSessions sessions, ConnectedClient from, IncomingRequest incoming) {
        int bytes = sessions.requireRoom(incoming);
        NewSessionRequest asked = Requests.decode(AgentMethods.NEW_SESSION, version(), incoming.takeParams());
        SessionSetup setup = setup(
                sessions.config,
                asked.cwd(),
                asked.additionalDirectories(),
                asked.mcpServers(),
                asked.systemPrompt(),
                asked.rest());
        return sessions.open(
                from,
                setup,
                null,
                bytes,
                session -> encode(
                        AgentMethods.NEW_SESSION,
                        NewSessionResponse.builder(session.id())
                                .modes(shownModes(session))
                                .configOptions(shownOptions(session))
                                .meta(session.responseMeta())
                                .build()));
    }

    /**
     * How a session is resumed.
     *
     * @param handler resumes it; null when it must live
     * @param isMuted whether the conversation that the handler replays is not sent
     */
    record Resuming(Agent.@Nullable SessionHandler handler, boolean isMuted) {}

    abstract Resuming resuming(Agent.Builder agent, ResumeSessionRequest asked);

    final Handler.Task resume(AgentSessions sessions, ConnectedClient from, IncomingRequest incoming) {
        int bytes = sessions.requireRoom(incoming);
        ResumeSessionRequest asked = Requests.decode(AgentMethods.RESUME_SESSION, version(), incoming.takeParams());
        Resuming how = resuming(sessions.config, asked);
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
                how.handler(),
                how.isMuted(),
                bytes,
                session -> encode(
                        AgentMethods.RESUME_SESSION,
                        ResumeSessionResponse.builder()
                                .modes(shownModes(session))
                                .configOptions(shownOptions(session))
                                .meta(session.responseMeta())
                                .build()));
    }

    /** Returns the modes that the client gets as such. */
    abstract @Nullable SessionModeState shownModes(AgentSession session);

    /** Returns the options of a session that is opened. */
    abstract List<SessionConfigOption> shownOptions(AgentSession session);

    /** Returns how the client wants a session; what the agent does not offer is the client's error. */
    final SessionSetup setup(
            Agent.Builder agent,
            String cwd,
            List<String> additionalDirectories,
            List<McpServer> mcpServers,
            @Nullable SystemPrompt systemPrompt,
            Rest rest) {
        Path folder = absolute("cwd", cwd);
        if (!additionalDirectories.isEmpty() && !agent.supported.contains(Feature.ADDITIONAL_DIRECTORIES)) {
            throw RpcError.invalidParams(
                    "params.additionalDirectories: this agent does not offer " + Feature.ADDITIONAL_DIRECTORIES);
        }
        List<Path> more = new ArrayList<>();
        for (String directory : additionalDirectories) {
            more.add(absolute("additionalDirectories[" + more.size() + "]", directory));
        }
        return new SessionSetup(folder, more, offered(agent, mcpServers), offered(systemPrompt, rest), rest.meta());
    }

    /** Returns a system prompt that the agent can use; another one is the client's error. */
    private @Nullable SystemPrompt offered(@Nullable SystemPrompt prompt, Rest rest) {
        if (prompt == null) {
            // A malformed one; without the draft it may be anything.
            if (isOn(Feature.SYSTEM_PROMPT) && rest.get("systemPrompt").isPresent()) {
                throw RpcError.invalidParams("params.systemPrompt: expected an object with \"mode\" and \"content\"");
            }
            return null;
        }
        SystemPromptMode mode = prompt.mode();
        Feature needed = mode.equals(SystemPromptMode.APPEND)
                ? Feature.SYSTEM_PROMPT
                : mode.equals(SystemPromptMode.OVERRIDE) ? Feature.SYSTEM_PROMPT_OVERRIDE : null;
        if (needed == null || !isOn(needed)) {
            throw RpcError.invalidParams(
                    "params.systemPrompt.mode: this agent does not offer the mode \"" + mode + "\"");
        }
        if (prompt.content().isEmpty()) {
            throw RpcError.invalidParams("params.systemPrompt.content: expected content");
        }
        for (ContentBlock block : prompt.content()) {
            if (!(block instanceof ContentBlock.Text)) {
                throw RpcError.invalidParams("params.systemPrompt.content: expected text only");
            }
        }
        return prompt;
    }

    /** Returns the MCP servers that the agent can connect to. */
    abstract List<McpServer> offered(Agent.Builder agent, List<McpServer> servers);

    /** Returns the path that a client wrote in a member of its params; one that is none, or relative, is its error. */
    static Path absolute(String member, String text) {
        try {
            Path path = Path.of(text);
            if (path.isAbsolute()) {
                return path;
            }
        } catch (InvalidPathException e) {
            throw RpcError.invalidParams("params." + member + ": not a path: " + e.getReason());
        }
        throw RpcError.invalidParams("params." + member + ": expected an absolute path, got \"" + text + "\"");
    }

    /** Authenticates with one of the methods that the agent offers here. */
    static void authenticate(
            Agent.Builder agent, ConnectedClient client, Agent.AuthenticateHandler handler, AuthMethodId wanted)
            throws Exception {
        for (AuthMethod method : agent.authMethods) {
            if (wanted.equals(method.id())) {
                if (method instanceof AuthMethod.Terminal) {
                    throw RpcError.invalidParams("params.methodId: " + wanted
                            + " is done by running the agent's program in a terminal, not by this request");
                }
                handler.authenticate(client, wanted);
                return;
            }
        }
        throw RpcError.invalidParams("params.methodId: no such authentication method: " + wanted);
    }

    /** Returns the ways to log in that the client can take. */
    final List<AuthMethod> logins(Agent.Builder agent) {
        List<AuthMethod> offered = new ArrayList<>();
        for (AuthMethod method : agent.authMethods) {
            if (supports(Feature.TERMINAL_LOGIN) || !(method instanceof AuthMethod.Terminal)) {
                offered.add(method);
            }
        }
        return offered;
    }

    final Handler.Task delete(AgentSessions sessions, ConnectedClient from, IncomingRequest request) {
        return answer(AgentMethods.DELETE_SESSION, request, sessions.config.onDeleteSession, (handler, delete) -> {
            sessions.end(from, delete.sessionId());
            handler.delete(from, delete.sessionId());
            return DeleteSessionResponse.of();
        });
    }

    /** Refuses a relative folder, and a filter of archived sessions that the agent does not offer or nobody knows. */
    static void check(Agent.Builder agent, ListSessionsRequest list) {
        if (list.cwd() != null) {
            absolute("cwd", list.cwd());
        }
        SessionArchiveFilter filter = list.archived();
        if (filter != null && agent.onArchiveSession == null) {
            throw RpcError.invalidParams("params.archived: this agent does not offer " + Feature.ARCHIVE_SESSION);
        }
        if (filter != null && !SessionArchiveFilter.known().contains(filter)) {
            throw RpcError.invalidParams(
                    "params.archived: expected \"exclude\", \"include\" or \"only\", got \"" + filter + "\"");
        }
    }

    // ---- drafts

    /** Returns what answers a request of a draft, which has one shape in both versions; null for any other. */
    final Handler.@Nullable Task draft(AgentSessions sessions, ConnectedClient from, IncomingRequest request) {
        Agent.Builder agent = sessions.config;
        return switch (request.method()) {
            case "session/fork" -> fork(sessions, from, request);
            case "session/archive" ->
                answer(AgentMethods.ARCHIVE_SESSION, request, agent.onArchiveSession, (handler, archive) -> {
                    sessions.end(from, archive.sessionId());
                    handler.archive(from, archive.sessionId(), true);
                    return ArchiveSessionResponse.of();
                });
            case "session/unarchive" ->
                answer(AgentMethods.UNARCHIVE_SESSION, request, agent.onArchiveSession, (handler, archive) -> {
                    handler.archive(from, archive.sessionId(), false);
                    return UnarchiveSessionResponse.of();
                });
            case "session/status" ->
                answer(AgentMethods.SESSION_STATUS, request, agent.onSessionStatus, (handler, asked) -> {
                    SessionId id = asked.sessionId();
                    StateUpdate state = sessions.told(id);
                    if (state == null && !handler.isSaved(from, id)) {
                        throw RpcError.sessionNotFound(id.value());
                    }
                    return SessionStatusResponse.builder(state == null ? SessionStatus.SAVED : SessionStatus.OPEN)
                            .state(version() == Version.V1 ? null : state)
                            .build();
                });
            case "session/set_title" ->
                answer(
                        AgentMethods.SET_SESSION_TITLE,
                        request,
                        agent.onSetTitle,
                        (handler, set) -> SetSessionTitleResponse.of(
                                sessions.setTitle(from, handler, set.sessionId(), set.title())));
            case "auth/status" ->
                answer(AgentMethods.AUTH_STATUS, request, agent.onAuthStatus, (handler, asked) -> {
                    AuthStatus status = handler.status(from);
                    return AuthStatusResponse.builder(status.state())
                            .accounts(status.accounts())
                            .build();
                });
            case "providers/list" ->
                answer(
                        AgentMethods.LIST_PROVIDERS,
                        request,
                        agent.onProviders,
                        (handler, asked) -> ListProvidersResponse.of(handler.list(from)));
            case "providers/set" ->
                answer(AgentMethods.SET_PROVIDER, request, agent.onProviders, (handler, set) -> {
                    handler.set(from, settable(handler.list(from), set));
                    return SetProviderResponse.of();
                });
            case "providers/disable" ->
                answer(AgentMethods.DISABLE_PROVIDER, request, agent.onProviders, (handler, disable) -> {
                    if (canBeDisabled(handler.list(from), disable.providerId())) {
                        handler.disable(from, disable.providerId());
                    }
                    return DisableProviderResponse.of();
                });
            default -> null;
        };
    }

    private Handler.Task fork(AgentSessions sessions, ConnectedClient from, IncomingRequest incoming) {
        Agent.ForkSessionHandler unused = required(sessions.config.onForkSession, incoming);
        int bytes = sessions.requireRoom(incoming);
        ForkSessionRequest asked = Requests.decode(AgentMethods.FORK_SESSION, version(), incoming.takeParams());
        SessionSetup setup = setup(
                sessions.config,
                asked.cwd(),
                asked.additionalDirectories(),
                asked.mcpServers(),
                asked.systemPrompt(),
                asked.rest());
        return sessions.open(
                from,
                setup,
                asked.sessionId(),
                bytes,
                session -> encode(
                        AgentMethods.FORK_SESSION,
                        ForkSessionResponse.builder(session.id())
                                .modes(shownModes(session))
                                .configOptions(shownOptions(session))
                                .meta(session.responseMeta())
                                .build()));
    }

    private static @Nullable ProviderInfo provider(List<ProviderInfo> all, ProviderId id) {
        for (ProviderInfo one : all) {
            if (one.providerId().equals(id)) {
                return one;
            }
        }
        return null;
    }

    private static SetProviderRequest settable(List<ProviderInfo> all, SetProviderRequest set) {
        ProviderInfo known = provider(all, set.providerId());
        if (known == null) {
            throw RpcError.invalidParams("params.providerId: no such provider: " + set.providerId());
        }
        if (!known.supported().contains(set.apiType())) {
            throw RpcError.invalidParams(
                    "params.apiType: provider " + set.providerId() + " does not support " + set.apiType());
        }
        return set;
    }

    /** Returns false for a provider that is not known: that is disabled already. */
    private static boolean canBeDisabled(List<ProviderInfo> all, ProviderId id) {
        ProviderInfo known = provider(all, id);
        if (known != null && known.required()) {
            throw RpcError.invalidParams("params.providerId: provider " + id + " is required");
        }
        return known != null;
    }

    /** Tells the client whether and how the user is logged in now. */
    final void authStatus(ConnectedClient client, AuthStatus status) throws InterruptedException {
        client.send(
                ClientMethods.AUTH_STATUS_UPDATE,
                new AuthStatusUpdateNotification(status.state(), status.accounts(), Rest.NONE));
    }

    // ---- turns

    abstract Prompt prompt(IncomingRequest request);

    /**
     * Returns what tells the client that its prompt is taken, before the work begins; null when that is not said.
     *
     * @param message the message of the user that the prompt has become
     */
    abstract @Nullable RawJson accepted(MessageId message);

    /**
     * Returns the answer to the prompt of a turn that has ended. It reaches nobody when the client was told before that
     * the prompt is taken.
     *
     * @throws RpcError when the turn was cancelled before it began, and the version has an error for that
     */
    abstract RawJson answer(AgentTurn turn);

    final SessionId cancelled(Message message) {
        return Requests.decode(AgentMethods.CANCEL, version(), message.params()).sessionId();
    }

    // ---- updates and questions of the agent

    /**
     * Returns an update as this version has it, and as the client supports it; none when it is not for the client.
     *
     * @param lastPlan the plan that was sent last before; null when it has no id
     */
    abstract List<SessionUpdate> shown(SessionUpdate update, AgentSessionState session, @Nullable PlanId lastPlan);

    static boolean isOfSubagents(SessionUpdate update) {
        return update instanceof SubagentUpdate
                || update instanceof SessionMessage
                || update instanceof SessionMessageChunk;
    }

    /** Returns a plan as tasks: a file or a text is one. Null for a plan of an unknown kind. */
    static @Nullable List<PlanEntry> tasks(PlanUpdateContent plan) {
        return switch (plan) {
            case PlanUpdateContent.Items items -> items.entries();
            case PlanUpdateContent.File file -> List.of(task(file.uri()));
            case PlanUpdateContent.Markdown text -> List.of(task(text.content()));
            case PlanUpdateContent.Unknown unknown -> null;
        };
    }

    private static PlanEntry task(String text) {
        return PlanEntry.of(text, PlanEntryPriority.MEDIUM, PlanEntryStatus.IN_PROGRESS);
    }

    static @Nullable PlanId idOf(PlanUpdateContent plan) {
        return switch (plan) {
            case PlanUpdateContent.Items items -> items.planId();
            case PlanUpdateContent.File file -> file.planId();
            case PlanUpdateContent.Markdown text -> text.planId();
            case PlanUpdateContent.Unknown unknown -> unknown.planId();
        };
    }

    final Message update(SessionId session, SessionUpdate content, Meta meta) {
        SessionNotification plain = SessionNotification.of(session, content);
        return Message.notification(UPDATE, meta.isEmpty() ? plain : plain.withMeta(meta), update);
    }

    /** Returns the options that the client can show. */
    abstract List<SessionConfigOption> shownOptions(List<SessionConfigOption> options);

    /** @param session the session as the client knows it */
    abstract Request<?, ?, PermissionAnswer> permission(SessionId session, Permission asked);

    /** Returns a request for input as this version has it. */
    abstract CreateElicitationRequest shown(CreateElicitationRequest asked);

    final Request<?, ?, CreateElicitationResponse> elicitation(CreateElicitationRequest asked) {
        return new Request<>(
                ClientMethods.CREATE_ELICITATION,
                version(),
                shown(asked),
                answer -> FormAnswer.checked(asked, answer, onProblem));
    }
}
