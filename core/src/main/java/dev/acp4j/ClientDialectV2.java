package dev.acp4j;

import dev.acp4j.rpc.Call;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.schema.AgentError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AuthMethod;
import dev.acp4j.schema.AuthMethodId;
import dev.acp4j.schema.AuthenticateRequest;
import dev.acp4j.schema.BackgroundList;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Implementation;
import dev.acp4j.schema.InitializeResponse;
import dev.acp4j.schema.LogoutRequest;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.NewSessionRequest;
import dev.acp4j.schema.PromptRequest;
import dev.acp4j.schema.PromptResponseV2;
import dev.acp4j.schema.ReplayFrom;
import dev.acp4j.schema.RequestPermissionRequestV2;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.Rest;
import dev.acp4j.schema.ResumeSessionRequest;
import dev.acp4j.schema.SessionCapabilitiesV2;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.Version;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Version 2: a prompt is answered when the agent has accepted it, and the turn ends when the agent is idle. */
final class ClientDialectV2 extends ClientDialect {
    private final InitializeResponse agent;

    ClientDialectV2(InitializeResponse agent) {
        super(Version.V2);
        this.agent = agent;
        offers(Feature.LOGIN, !agent.authMethods().isEmpty());
        offers(Feature.LOGOUT, !agent.authMethods().isEmpty());
        offers(Feature.AUTH_STATUS, asksAuthStatus());
        offers(Feature.PROVIDERS, agent.capabilities().providers() != null);
        SessionCapabilitiesV2 sessions = agent.capabilities().session();
        if (sessions != null) {
            offers(Feature.SESSIONS, true);
            offers(Feature.LOAD_SESSION, true);
            offers(Feature.RESUME_SESSION, true);
            offers(Feature.LIST_SESSIONS, true);
            offers(Feature.CLOSE_SESSION, true);
            offers(Feature.DELETE_SESSION, sessions.delete() != null);
            offers(Feature.ADDITIONAL_DIRECTORIES, sessions.additionalDirectories() != null);
            offers(
                    Feature.PROMPT_IMAGES,
                    sessions.prompt() != null && sessions.prompt().image() != null);
            offers(
                    Feature.PROMPT_AUDIO,
                    sessions.prompt() != null && sessions.prompt().audio() != null);
            offers(
                    Feature.PROMPT_RESOURCES,
                    sessions.prompt() != null && sessions.prompt().embeddedContext() != null);
            offers(Feature.MCP_STDIO, sessions.mcp() != null && sessions.mcp().stdio() != null);
            offers(Feature.MCP_HTTP, sessions.mcp() != null && sessions.mcp().http() != null);
            offers(Feature.MCP_ACP, sessions.mcp() != null && sessions.mcp().acp() != null);
            offers(Feature.FORK_SESSION, sessions.fork() != null);
            offers(Feature.ARCHIVE_SESSION, sessions.archive() != null);
            offers(Feature.SESSION_STATUS, sessions.status() != null);
            offers(Feature.SET_TITLE, sessions.title() != null);
            offers(Feature.SYSTEM_PROMPT, sessions.systemPrompt() != null);
            offers(Feature.SYSTEM_PROMPT_OVERRIDE, overrides(sessions.systemPrompt()));
        }
    }

    // ---- what the agent says of itself

    @Override
    Optional<Implementation> info() {
        return Optional.ofNullable(agent.info());
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
        return agent.capabilities().rest();
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
                        null,
                        null,
                        opened.configOptions(),
                        opened.availableCommands(),
                        opened.meta()));
    }

    /** Loading is resuming with a replay from the start. */
    @Override
    Request<?, ?, Opened> loadSession(SessionId id, SessionSetup setup) {
        return resume(id, setup, ReplayFrom.start());
    }

    @Override
    Request<?, ?, Opened> resumeSession(SessionId id, SessionSetup setup) {
        return resume(id, setup, null);
    }

    private Request<?, ?, Opened> resume(SessionId id, SessionSetup setup, @Nullable ReplayFrom from) {
        return new Request<>(
                AgentMethods.RESUME_SESSION,
                version(),
                ResumeSessionRequest.builder(id, setup.cwd().toString())
                        .additionalDirectories(texts(setup.additionalDirectories()))
                        .systemPrompt(setup.systemPrompt())
                        .mcpServers(setup.mcpServers())
                        .replayFrom(from)
                        .meta(setup.meta())
                        .build(),
                resumed -> new Opened(
                        id, null, null, resumed.configOptions(), resumed.availableCommands(), resumed.meta()));
    }

    @Override
    Request<?, ?, Opened> forkSession(SessionId source, SessionSetup setup) {
        return new Request<>(
                AgentMethods.FORK_SESSION,
                version(),
                fork(source, setup),
                forked -> new Opened(
                        forked.sessionId(),
                        null,
                        null,
                        forked.configOptions(),
                        forked.availableCommands(),
                        forked.meta()));
    }

    @Override
    boolean asksAuthStatus() {
        return agent.capabilities().auth() != null
                && agent.capabilities().auth().status() != null;
    }

    @Override
    Request<?, ?, Meta> authenticate(AuthMethodId method, Meta meta) {
        return new Request<>(
                AgentMethods.LOGIN, version(), AuthenticateRequest.of(method).withMeta(meta), done -> done.meta());
    }

    @Override
    Request<?, ?, Meta> logout(Meta meta) {
        return new Request<>(
                AgentMethods.LOGOUT_V2, version(), LogoutRequest.of().withMeta(meta), done -> done.meta());
    }

    // ---- turns

    @Override
    Request<PromptRequest, PromptResponseV2, ?> prompt(SessionId id, List<ContentBlock> content, Meta meta) {
        return new Request<>(
                AgentMethods.PROMPT_V2,
                version(),
                PromptRequest.of(id, content).withMeta(meta),
                PromptResponseV2::messageId);
    }

    @Override
    boolean isAcceptedWhenSent() {
        return false;
    }

    @Override
    void promptAnswered(Turn turn, Call answered) {
        try {
            turn.accepted(
                    answered.result(AgentMethods.PROMPT_V2.result(version())).messageId());
        } catch (RpcError e) {
            if (e.code() == RpcError.REQUEST_CANCELLED) {
                turn.ended(TurnResult.CANCELLED);
            } else {
                turn.failed(turn.session().agent().explained(e));
            }
        } catch (RpcException e) {
            turn.failed(e);
        }
    }

    // ---- updates of the agent

    @Override
    Handler.@Nullable Delivery foldOwn(Session session, SessionUpdate update, SessionEvent.Origin origin)
            throws InterruptedException {
        Timeline timeline = session.view().timeline();
        return switch (update) {
            case SessionUpdate.Message message -> message(session, message, origin);
            case SessionUpdate.ToolCallContentChunk chunk ->
                session.happened(timeline.toolCall(chunk.toolCallId(), chunk.content(), origin));
            case TerminalUpdate next -> session.happened(timeline.terminal(next, origin));
            case TerminalOutputChunk next ->
                session.happened(timeline.terminal(next.terminalId(), next.bytes(), origin));
            case StateUpdate next -> state(session, next, origin);
            default -> session.happened(other(update, origin));
        };
    }

    // ---- whole messages

    /** Reports a new or a longer message as pieces, so that programs need not compare contents. */
    private static Handler.@Nullable Delivery message(
            Session session, SessionUpdate.Message update, SessionEvent.Origin origin) throws InterruptedException {
        if (update instanceof SessionUpdate.UserMessage) {
            session.state().userMessage(update.messageId());
        }
        List<ContentBlock> content = update.content().isKeep()
                ? null
                : Objects.requireNonNullElse(update.content().applyTo(null), List.of());
        SessionEvent.MessageChanged changed =
                session.view().timeline().message(author(update), update.messageId(), content, origin);
        Entry.Message before = changed.before();
        List<ContentBlock> more = before == null
                ? changed.message().content()
                : more(before.content(), changed.message().content());
        if (more == null || more.isEmpty()) {
            return session.happened(changed);
        }
        List<Handler.Delivery> told = new ArrayList<>();
        for (int i = 0; i < more.size(); i++) {
            Handler.Delivery one = session.happened(piece(update, more.get(i), before == null && i == 0, origin));
            if (one != null) {
                told.add(one);
            }
        }
        return told.isEmpty() ? null : all(told);
    }

    private static Entry.Message.Author author(SessionUpdate.Message update) {
        return switch (update) {
            case SessionUpdate.UserMessage message -> Entry.Message.Author.USER;
            case SessionUpdate.AgentMessage message -> Entry.Message.Author.AGENT;
            case SessionUpdate.AgentThought message -> Entry.Message.Author.THOUGHT;
        };
    }

    private static SessionEvent piece(
            SessionUpdate.Message update, ContentBlock block, boolean isFirst, SessionEvent.Origin origin) {
        return switch (update) {
            case SessionUpdate.UserMessage message ->
                new SessionEvent.UserMessage(block, message.messageId(), isFirst, origin);
            case SessionUpdate.AgentMessage message ->
                new SessionEvent.Message(block, message.messageId(), isFirst, origin);
            case SessionUpdate.AgentThought message ->
                new SessionEvent.Thought(block, message.messageId(), isFirst, origin);
        };
    }

    /** Returns what was appended to content; null when something else was done to it. */
    private static @Nullable List<ContentBlock> more(List<ContentBlock> before, List<ContentBlock> after) {
        int last = before.size() - 1;
        if (after.size() <= last || !after.subList(0, Math.max(last, 0)).equals(before.subList(0, Math.max(last, 0)))) {
            return null;
        }
        if (last < 0) {
            return after;
        }
        List<ContentBlock> more = new ArrayList<>(after.subList(last + 1, after.size()));
        if (after.get(last).equals(before.get(last))) {
            return more;
        }
        if (before.get(last) instanceof ContentBlock.Text old
                && after.get(last) instanceof ContentBlock.Text now
                && now.text().startsWith(old.text())) {
            more.addFirst(ContentBlock.text(now.text().substring(old.text().length())));
            return more;
        }
        return null;
    }

    // ---- what the agent is at

    private Handler.@Nullable Delivery state(Session session, StateUpdate update, SessionEvent.Origin origin)
            throws InterruptedException {
        return switch (update) {
            case StateUpdate.Running running -> {
                session.state().busy();
                yield changed(session, SessionEvent.StateChanged.State.RUNNING, running.background(), origin);
            }
            case StateUpdate.RequiresAction action -> {
                session.state().busy();
                yield changed(session, SessionEvent.StateChanged.State.REQUIRES_ACTION, action.background(), origin);
            }
            case StateUpdate.Idle idle -> {
                Handler.Delivery told =
                        changed(session, SessionEvent.StateChanged.State.IDLE, idle.background(), origin);
                boolean repeats = idle.stopReason() == null && idle.error() == null;
                // The end of the turn notifies the listeners; otherwise it would come before them.
                yield session.state().idle(outcome(session, idle, origin, told), repeats) ? null : told;
            }
            // A draft, which has no event of its own.
            case StateUpdate.Undetermined unknown -> session.happened(other(update, origin));
            case StateUpdate.Unknown unknown ->
                session.happened(new SessionEvent.Other(unknown.state(), unknown.raw(), origin));
        };
    }

    private static Handler.@Nullable Delivery changed(
            Session session,
            SessionEvent.StateChanged.State state,
            @Nullable BackgroundList background,
            SessionEvent.Origin origin)
            throws InterruptedException {
        return session.happened(session.view().state(state, background, origin));
    }

    private static Turn.Outcome outcome(
            Session session, StateUpdate.Idle idle, SessionEvent.Origin origin, Handler.@Nullable Delivery told) {
        AgentError error = idle.error();
        if (error != null) {
            RpcError failure =
                    RpcError.ofPeer(AgentMethods.PROMPT_V2.name(), error.code(), error.message(), error.data());
            return new Turn.Outcome(null, session.agent().explained(failure), told);
        }
        StopReason reason = idle.stopReason() == null ? StopReason.END_TURN : idle.stopReason();
        return new Turn.Outcome(
                new TurnResult(reason, idle.meta(), TokenUsage.of(idle.usage()), origin.message()), null, told);
    }

    // ---- what the agent asks

    @Override
    Permission permission(IncomingRequest incoming) {
        RequestPermissionRequestV2 asked =
                Requests.decode(ClientMethods.REQUEST_PERMISSION_V2, version(), incoming.takeParams());
        return new Permission(
                asked.sessionId(),
                asked.title(),
                description(asked),
                about(asked.subject()),
                asked.subject() instanceof RequestPermissionSubject.Command command ? command.terminalId() : null,
                asked.options(),
                asked.meta());
    }

    /** Returns what explains a question, with the command that is to run. */
    private static @Nullable String description(RequestPermissionRequestV2 asked) {
        String description = asked.description();
        if (!(asked.subject() instanceof RequestPermissionSubject.Command command)) {
            return description;
        }
        String runs = "Runs " + command.command() + " in " + command.cwd();
        return description == null ? runs : description + "\n" + runs;
    }

    /** Returns the tool call that a question is about. */
    private static @Nullable ToolCallUpdate about(@Nullable RequestPermissionSubject subject) {
        return switch (subject) {
            case RequestPermissionSubject.ToolCall call -> call.toolCall();
            case RequestPermissionSubject.Command command ->
                command.toolCallId() == null
                        ? null
                        : ToolCallUpdate.builder(command.toolCallId()).build();
            case RequestPermissionSubject.Unknown unknown -> null;
            case null -> null;
        };
    }

    @Override
    Handler.@Nullable Task task(Client.Builder config, ConnectedAgent from, IncomingRequest request) {
        return null;
    }
}
