package dev.acp4j;

import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MalformedMessageException;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentCapabilities;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ArchiveSessionRequest;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthStatusRequest;
import dev.acp4j.schema.AuthStatusUpdateNotification;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CancelNotification;
import dev.acp4j.schema.Change;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.CloseSessionRequest;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.DeleteSessionRequest;
import dev.acp4j.schema.DisableProviderRequest;
import dev.acp4j.schema.Extensible;
import dev.acp4j.schema.ForkSessionRequest;
import dev.acp4j.schema.InitializeRequest;
import dev.acp4j.schema.InitializeRequestBuilder;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.ListProvidersRequest;
import dev.acp4j.schema.ListSessionsRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PlanUpdateContent;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.ProviderId;
import dev.acp4j.schema.ProviderInfo;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.RequestPermissionResponse;
import dev.acp4j.schema.SessionArchiveFilter;
import dev.acp4j.schema.SessionConfigId;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionConfigOptionValue;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionInfo;
import dev.acp4j.schema.SessionMessage;
import dev.acp4j.schema.SessionMessageChunk;
import dev.acp4j.schema.SessionModeState;
import dev.acp4j.schema.SessionNotification;
import dev.acp4j.schema.SessionStatus;
import dev.acp4j.schema.SessionStatusRequest;
import dev.acp4j.schema.SessionStatusResponse;
import dev.acp4j.schema.SessionSystemPromptCapabilities;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.SetProviderRequest;
import dev.acp4j.schema.SetSessionConfigOptionRequest;
import dev.acp4j.schema.SetSessionTitleRequest;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.TerminalId;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.UnarchiveSessionRequest;
import dev.acp4j.schema.UsageUpdate;
import dev.acp4j.schema.Version;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a client speaks with one agent: all that differs between the versions of the protocol. It is bound when the
 * answer of {@code initialize} is read, before anything behind it. The session API does not know what goes over the
 * wire.
 *
 * <p>It keeps no state beside what the agent said of itself.
 */
abstract sealed class ClientDialect extends Dialect permits ClientDialectV1, ClientDialectV2 {
    /** How a session begins. Models are an option, of agents that have no other option for them. */
    record Opened(
            SessionId id,
            @Nullable SessionModeState modes,
            SessionConfigOption.@Nullable Select models,
            List<SessionConfigOption> options,
            List<AvailableCommand> commands,
            Meta meta) {}

    /** Receives an update of a session as it came, in the session's lane. */
    interface UpdateHandler {
        void update(Session session, SessionUpdate update, Meta meta);
    }

    /** Some of the agent's sessions, and where the next ones are. */
    record Page(List<SessionInfo> sessions, @Nullable String next) {}

    /** A question whether the agent may do something. */
    record Permission(
            SessionId session,
            @Nullable String title,
            @Nullable String description,
            @Nullable ToolCallUpdate toolCall,
            @Nullable TerminalId terminal,
            List<PermissionOption> options,
            Meta meta) {}

    /** Returns the request that opens a connection. It has the members of all versions that the client speaks. */
    static Request<InitializeRequest, ?, ?> initialize(Client.Builder client, Version asked) {
        InitializeRequestBuilder request =
                InitializeRequest.builder(asked.number()).meta(client.meta);
        if (client.versions.contains(Version.V1)) {
            request.clientCapabilities(ClientCapabilitiesOf.capabilities(client))
                    .clientInfo(client.info());
        }
        if (client.versions.contains(Version.V2)) {
            request.capabilities(ClientCapabilitiesOf.capabilitiesV2(client)).info(client.info());
        }
        return new Request<>(
                AgentMethods.INITIALIZE, Version.V1, request.build(), response -> response.protocolVersion());
    }

    /**
     * Returns how to speak with the agent that has answered {@code initialize}.
     *
     * @throws ProtocolVersionException when the client does not speak the agent's version
     * @throws dev.acp4j.rpc.RpcException when there is no good answer
     */
    static ClientDialect of(Call answered, Client.Builder client) {
        InitializeResponse response = answered.result(AgentMethods.INITIALIZE.result(Version.V1));
        answered.answer()
                .ifPresent(answer -> Requests.reportUnlessObjects(
                        answer.result(), "result", List.of("agentCapabilities", "capabilities"), client.onProblem));
        int version = response.protocolVersion();
        if (version == Version.V1.number() && client.versions.contains(Version.V1)) {
            return new ClientDialectV1(response);
        }
        if (version != Version.V2.number() || !client.versions.contains(Version.V2)) {
            throw new ProtocolVersionException(version, client.newest().number());
        }
        try {
            return new ClientDialectV2(answered.result(AgentMethods.INITIALIZE.result(Version.V2)));
        } catch (MalformedMessageException e) {
            if (response.agentCapabilities().equals(AgentCapabilities.NONE) || !client.versions.contains(Version.V1)) {
                throw e;
            }
            client.onProblem.accept(new Problem(
                    Problem.Kind.MALFORMED,
                    "the agent answered with version 2 and the capabilities of version 1; the connection uses version 1",
                    e));
            return new ClientDialectV1(response);
        }
    }

    ClientDialect(Version version) {
        super(version);
    }

    // ---- what the agent says of itself

    abstract List<AuthMethod> authMethods();

    // ---- requests

    abstract Request<?, ?, Opened> newSession(SessionSetup setup);

    abstract Request<?, ?, Opened> loadSession(SessionId id, SessionSetup setup);

    abstract Request<?, ?, Opened> resumeSession(SessionId id, SessionSetup setup);

    final Request<?, ?, Page> listSessions(
            @Nullable String cwd, @Nullable SessionArchiveFilter archived, @Nullable String cursor, Meta meta) {
        return new Request<>(
                AgentMethods.LIST_SESSIONS,
                version(),
                ListSessionsRequest.builder()
                        .cwd(cwd)
                        .cursor(cursor)
                        .archived(archived)
                        .meta(meta)
                        .build(),
                page -> new Page(page.sessions(), page.nextCursor()));
    }

    abstract Request<?, ?, Meta> authenticate(AuthMethodId method, Meta meta);

    abstract Request<?, ?, Meta> logout(Meta meta);

    final Request<?, ?, Meta> closeSession(SessionId id, Meta meta) {
        return new Request<>(
                AgentMethods.CLOSE_SESSION,
                version(),
                CloseSessionRequest.of(id).withMeta(meta),
                response -> response.meta());
    }

    final Request<?, ?, Meta> deleteSession(SessionId id, Meta meta) {
        return new Request<>(
                AgentMethods.DELETE_SESSION,
                version(),
                DeleteSessionRequest.of(id).withMeta(meta),
                response -> response.meta());
    }

    static boolean overrides(@Nullable SessionSystemPromptCapabilities offered) {
        return offered != null && offered.mode() != null && offered.mode().override() != null;
    }

    // ---- requests of drafts

    abstract Request<?, ?, Opened> forkSession(SessionId source, SessionSetup setup);

    static ForkSessionRequest fork(SessionId source, SessionSetup setup) {
        return ForkSessionRequest.builder(source, setup.cwd().toString())
                .additionalDirectories(texts(setup.additionalDirectories()))
                .mcpServers(setup.mcpServers())
                .systemPrompt(setup.systemPrompt())
                .meta(setup.meta())
                .build();
    }

    final Request<?, ?, ?> archiveSession(SessionId id, boolean archived) {
        return archived
                ? new Request<>(
                        AgentMethods.ARCHIVE_SESSION,
                        version(),
                        ArchiveSessionRequest.of(id),
                        response -> response.meta())
                : new Request<>(
                        AgentMethods.UNARCHIVE_SESSION,
                        version(),
                        UnarchiveSessionRequest.of(id),
                        response -> response.meta());
    }

    /** A status that is not known counts as saved. */
    final Request<?, ?, SessionStatusResponse> sessionStatus(SessionId id) {
        return new Request<>(
                AgentMethods.SESSION_STATUS,
                version(),
                SessionStatusRequest.of(id),
                response -> SessionStatus.known().contains(response.status())
                        ? response
                        : new SessionStatusResponse(SessionStatus.SAVED, response.state(), response.rest()));
    }

    final Request<?, ?, String> setTitle(SessionId id, String title) {
        return new Request<>(
                AgentMethods.SET_SESSION_TITLE,
                version(),
                SetSessionTitleRequest.of(id, title),
                response -> response.title());
    }

    /** Returns the request to ask how the user is logged in; null when the agent only reports it. */
    final @Nullable Request<?, ?, AuthStatus> authStatus() {
        return asksAuthStatus()
                ? new Request<>(
                        AgentMethods.AUTH_STATUS,
                        version(),
                        AuthStatusRequest.of(),
                        response -> new AuthStatus(response.state(), response.accounts()))
                : null;
    }

    /** Returns whether the agent has the draft of {@code auth/status}. */
    abstract boolean asksAuthStatus();

    final AuthStatus authStatus(@Nullable RawJson params) {
        AuthStatusUpdateNotification told = Requests.decode(ClientMethods.AUTH_STATUS_UPDATE, version(), params);
        return new AuthStatus(told.state(), told.accounts());
    }

    final Request<?, ?, List<ProviderInfo>> providers() {
        return new Request<>(
                AgentMethods.LIST_PROVIDERS, version(), ListProvidersRequest.of(), response -> response.providers());
    }

    final Request<?, ?, Meta> setProvider(SetProviderRequest configuration) {
        return new Request<>(AgentMethods.SET_PROVIDER, version(), configuration, response -> response.meta());
    }

    final Request<?, ?, Meta> disableProvider(ProviderId provider) {
        return new Request<>(
                AgentMethods.DISABLE_PROVIDER,
                version(),
                DisableProviderRequest.of(provider),
                response -> response.meta());
    }

    // ---- options

    /** Sets an option and folds what the agent answers. Waits for the answer. */
    void setConfigOption(Session session, SessionConfigId option, SessionConfigOptionValue value, Meta meta)
            throws InterruptedException {
        SessionUpdate unused = session.agent()
                .call(
                        option(session, option, value, meta),
                        session.agent().timeout(),
                        update -> fold(session, update, origin(update, Meta.EMPTY, null)));
    }

    /** Returns the request to set an option; its answer is what an update would say. */
    Request<?, ?, ? extends SessionUpdate> option(
            Session session, SessionConfigId option, SessionConfigOptionValue value, Meta meta) {
        return new Request<>(
                AgentMethods.SET_CONFIG_OPTION,
                version(),
                SetSessionConfigOptionRequest.of(session.id(), option, value).withMeta(meta),
                response -> SessionUpdate.ConfigOptionUpdate.of(response.configOptions())
                        .withMeta(response.meta()));
    }

    static List<String> texts(List<Path> paths) {
        List<String> texts = new ArrayList<>(paths.size());
        for (Path path : paths) {
            texts.add(path.toString());
        }
        return texts;
    }

    // ---- turns

    abstract Request<PromptRequest, ?, ?> prompt(SessionId id, List<ContentBlock> content, Meta meta);

    /** Returns whether an agent works on a prompt from the moment it is sent, without accepting it first. */
    abstract boolean isAcceptedWhenSent();

    /** The answer to a prompt has been read: accepts, ends or fails the turn. */
    abstract void promptAnswered(Turn turn, Call answered);

    /** The agent has answered that a session is closed or deleted. */
    final void closed(Session session) {
        if (!isAcceptedWhenSent()) {
            session.state().close();
        }
    }

    /** Asks the agent to end what a session is doing. Never waits. */
    final void cancel(Session session, Meta meta) {
        session.agent()
                .rpc()
                .sendAtOnce(
                        AgentMethods.CANCEL.name(),
                        CancelNotification.of(session.id()).withMeta(meta),
                        AgentMethods.CANCEL.params(version()));
    }

    // ---- updates of the agent

    /** Folds an update into its session, in the order of the wire. May wait for the reader of a turn. */
    final Handler.@Nullable Delivery update(ConnectedAgent agent, Message message) throws InterruptedException {
        SessionNotification told = told(message.params());
        SessionUpdate update = told.update() instanceof ToolCallUpdate change ? meant(change) : told.update();
        Session session = agent.mentioned(told.sessionId());
        if (session == null || !agent.mayKeep(session, message.length())) {
            return agent.discardUnclaimed();
        }
        Handler.Delivery delivery = fold(session, update, origin(update, told.meta(), message));
        UpdateHandler handler = agent.onUpdate();
        if (handler == null) {
            return delivery;
        }
        Handler.Delivery last = () -> handler.update(session, update, told.meta());
        return delivery == null ? last : all(List.of(delivery, last));
    }

    /** Returns a change of a tool call as its agent means it: in version 1, null keeps the name. */
    final ToolCallUpdate meant(ToolCallUpdate change) {
        return version() == Version.V1 && change.name() instanceof Change.Clear
                ? change.toBuilder().name(Change.keep()).build()
                : change;
    }

    private SessionNotification told(@Nullable RawJson params) {
        try {
            return Requests.decode(ClientMethods.UPDATE, version(), params);
        } catch (RpcError e) {
            RawJson mended = DocumentedForms.ofSchema(params);
            if (mended == null) {
                throw e;
            }
            return Requests.decode(ClientMethods.UPDATE, version(), mended);
        }
    }

    /** Folds the details of a tool call in a question. */
    final Handler.@Nullable Delivery fold(Session session, ToolCallUpdate change, Meta meta, @Nullable Message message)
            throws InterruptedException {
        return fold(session, change, origin(change, meta, message));
    }

    private static SessionEvent.Origin origin(SessionUpdate update, Meta messageMeta, @Nullable Message message) {
        return new SessionEvent.Origin(metaOf(update), messageMeta, message);
    }

    private static Meta metaOf(SessionUpdate update) {
        if (update instanceof Extensible known) {
            return known.meta();
        }
        return update instanceof SessionUpdate.Unknown unknown ? metaOf(unknown.raw()) : Meta.EMPTY;
    }

    private static Meta metaOf(RawJson raw) {
        Meta found = Meta.EMPTY;
        JsonReader in = raw.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals("_meta") && in.kind() == JsonReader.Kind.OBJECT) {
                found = Meta.of(in.raw());
            } else {
                in.skip();
            }
        }
        return found;
    }

    private Handler.@Nullable Delivery fold(Session session, SessionUpdate update, SessionEvent.Origin origin)
            throws InterruptedException {
        SessionView view = session.view();
        // Most are pieces of messages, and a switch over patterns costs more.
        if (update instanceof SessionUpdate.Chunk piece) {
            SessionEvent event = piece(view, piece, origin);
            if (update instanceof SessionUpdate.UserMessageChunk said && said.messageId() != null) {
                session.state().userMessage(said.messageId());
            }
            return session.happened(event);
        }
        SessionEvent terminal = terminal(view, update, origin);
        Handler.Delivery first = terminal == null ? null : session.happened(terminal);
        if (update instanceof SubagentUpdate change) {
            return subagent(session, change, origin);
        }
        SessionEvent event = fold(view, update, origin);
        Handler.Delivery second = event == null ? foldOwn(session, update, origin) : session.happened(event);
        return first == null || second == null ? second : all(List.of(first, second));
    }

    /** Returns what delivers several events of one message, one after another. */
    static Handler.Delivery all(List<Handler.Delivery> deliveries) {
        return () -> {
            for (Handler.Delivery one : deliveries) {
                one.deliver();
            }
        };
    }

    /** Folds what an update says of a terminal of the agent beside all else; null when it says nothing. */
    @Nullable
    SessionEvent terminal(SessionView view, SessionUpdate update, SessionEvent.Origin origin) {
        return null;
    }

    private static SessionEvent piece(SessionView view, SessionUpdate.Chunk chunk, SessionEvent.Origin origin) {
        Timeline timeline = view.timeline();
        return switch (chunk) {
            case SessionUpdate.AgentMessageChunk piece -> {
                boolean isFirst = append(timeline, Entry.Message.Author.AGENT, piece, origin);
                yield new SessionEvent.Message(piece.content(), piece.messageId(), isFirst, origin);
            }
            case SessionUpdate.AgentThoughtChunk piece -> {
                boolean isFirst = append(timeline, Entry.Message.Author.THOUGHT, piece, origin);
                yield new SessionEvent.Thought(piece.content(), piece.messageId(), isFirst, origin);
            }
            case SessionUpdate.UserMessageChunk piece -> {
                boolean isFirst = append(timeline, Entry.Message.Author.USER, piece, origin);
                yield new SessionEvent.UserMessage(piece.content(), piece.messageId(), isFirst, origin);
            }
        };
    }

    private static boolean append(
            Timeline timeline, Entry.Message.Author author, SessionUpdate.Chunk piece, SessionEvent.Origin origin) {
        return timeline.append(author, piece.messageId(), piece.content(), piece.meta(), origin.bytes());
    }

    /** Folds what both versions have; null for anything else. */
    private @Nullable SessionEvent fold(SessionView view, SessionUpdate update, SessionEvent.Origin origin) {
        return switch (update) {
            case ToolCallUpdate change -> view.timeline().toolCall(change, origin);
            case UsageUpdate usage -> view.usage(usage, origin);
            case Notice notice -> view.timeline().notice(notice, origin);
            case CompactionUpdate change -> view.timeline().compaction(change, origin);
            case CompactionSummaryChunk piece ->
                view.timeline().compaction(piece.compactionId(), piece.content(), origin);
            case SessionUpdate.AvailableCommandsUpdate next -> view.commands(next.availableCommands(), origin);
            case SessionUpdate.ConfigOptionUpdate next -> view.options(next.configOptions(), origin);
            case SessionUpdate.SessionInfoUpdate next -> view.info(next.title(), next.updatedAt(), origin);
            case SessionUpdate.PlanUpdate next -> plan(view.timeline(), next, origin);
            case SessionUpdate.PlanRemoved gone ->
                Objects.requireNonNullElseGet(
                        view.timeline().planRemoved(gone.planId().value(), origin), () -> other(update, origin));
            case SessionMessage change -> view.timeline().sessionMessage(change, origin);
            case SessionMessageChunk piece ->
                view.timeline().sessionMessage(piece.messageId(), piece.content(), origin);
            case SessionUpdate.Unknown next -> new SessionEvent.Other(next.sessionUpdate(), next.raw(), origin);
            default -> null;
        };
    }

    private SessionEvent plan(Timeline timeline, SessionUpdate.PlanUpdate update, SessionEvent.Origin origin) {
        return switch (update.plan()) {
            case PlanUpdateContent.Items plan -> timeline.plan(plan.planId().value(), plan.entries(), origin);
            case PlanUpdateContent.File plan ->
                timeline.plan(plan.planId().value(), List.of(), plan.uri(), null, origin);
            case PlanUpdateContent.Markdown plan ->
                timeline.plan(plan.planId().value(), List.of(), null, plan.content(), origin);
            case PlanUpdateContent.Unknown plan -> {
                // In version 1 plans by id are a draft, and the member may mean something else.
                if (plan.planId() == null && version() != Version.V1) {
                    throw RpcError.invalidParams("params.update.plan.planId: expected the id of the plan, a string");
                }
                yield new SessionEvent.Other(plan.type(), plan.raw(), origin);
            }
        };
    }

    /** A subagent is announced before anything of its session comes. */
    private static Handler.@Nullable Delivery subagent(
            Session session, SubagentUpdate change, SessionEvent.Origin origin) throws InterruptedException {
        SessionEvent.SubagentChanged changed =
                session.view().timeline().subagent(change, state(change.state()), origin);
        Handler.Delivery report = session.agent().subagent(session, changed.subagent());
        Handler.Delivery told = session.happened(changed);
        if (report == null) {
            return told;
        }
        return told == null ? report : all(List.of(told, report));
    }

    private static Change<SessionEvent.StateChanged.State> state(Change<StateUpdate> change) {
        if (change.isKeep()) {
            return Change.keep();
        }
        return switch (change.applyTo(null)) {
            case StateUpdate.Running running -> Change.replace(SessionEvent.StateChanged.State.RUNNING);
            case StateUpdate.RequiresAction action -> Change.replace(SessionEvent.StateChanged.State.REQUIRES_ACTION);
            case StateUpdate.Idle idle -> Change.replace(SessionEvent.StateChanged.State.IDLE);
            case null, default -> Change.clear();
        };
    }

    /** Folds what only this version has. */
    abstract Handler.@Nullable Delivery foldOwn(Session session, SessionUpdate update, SessionEvent.Origin origin)
            throws InterruptedException;

    /** Reports an update of a kind that has no event of its own, with its JSON. */
    final SessionEvent other(SessionUpdate update, SessionEvent.Origin origin) {
        RawJson raw = RawJson.encode(update, Codecs.sessionUpdate(version()));
        JsonReader in = raw.reader();
        in.beginObject();
        in.nextMember(); // the tag is written first
        in.name();
        return new SessionEvent.Other(in.string(), raw, origin);
    }

    // ---- what the agent asks

    abstract Permission permission(IncomingRequest request);

    final RawJson answer(RequestPermissionOutcome outcome) {
        return RawJson.encode(
                RequestPermissionResponse.of(outcome), ClientMethods.REQUEST_PERMISSION.result(Version.V1));
    }

    /** Returns what answers a request that only this version has; a method without a handler does not exist. */
    abstract Handler.@Nullable Task task(Client.Builder config, ConnectedAgent agent, IncomingRequest request);
}
