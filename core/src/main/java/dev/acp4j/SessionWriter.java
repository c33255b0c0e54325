package dev.acp4j;

import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.CreateElicitationRequest;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.MessageId;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.Notice;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.PlanEntry;
import dev.acp4j.schema.RequestPermissionSubject;
import dev.acp4j.schema.SessionConfigOption;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.SessionModeId;
import dev.acp4j.schema.SessionUpdate;
import dev.acp4j.schema.StateUpdate;
import dev.acp4j.schema.SubagentUpdate;
import dev.acp4j.schema.TerminalExitStatus;
import dev.acp4j.schema.TerminalOutputChunk;
import dev.acp4j.schema.TerminalUpdate;
import dev.acp4j.schema.ToolCall;
import dev.acp4j.schema.ToolCallId;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.UsageUpdate;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * Sends what happens in one session to all clients that are attached, and asks one of them. All methods may be called
 * from any thread; what one thread sends arrives in that order, and all clients see the same order. Sending blocks only
 * while {@link AgentSession#client()} reads too slowly; any other client that does so for
 * {@link dev.acp4j.rpc.Limits#barrierPatience()} is detached, which is reported, and may resume.
 *
 * <p>An update goes to the clients that support it; {@link ConnectedClient#supports} says beforehand which do. A
 * request that no client supports throws {@link UnsupportedException}.
 *
 * <p>Methods that send updates throw no checked exception, so they can be passed as callbacks:
 * {@code model.onText(turn::message)}. They throw {@link CancellationException} when interrupted while they wait for
 * the client, which includes a turn that is cancelled, and the thread stays interrupted;
 * {@link dev.acp4j.rpc.ConnectionClosedException} when the last client is gone; {@link IllegalStateException} when the
 * session was closed; and {@link IllegalArgumentException} when the update is larger than
 * {@link dev.acp4j.rpc.Limits#messageBytes()}. Nothing was sent then. A question throws {@link InterruptedException}
 * when interrupted, because it waits for a person.
 *
 * <p>In a turn, questions and requests about files and terminals continue the trace of the prompt: they carry its
 * {@code traceparent}, {@code tracestate} and {@code baggage} in their {@code _meta}, unless it has its own. Updates do
 * not.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn">Prompt turn</a>
 */
public abstract sealed class SessionWriter permits AgentSession, AgentTurn, AgentSubagent {
    private static final PermissionOption YES =
            PermissionOption.of(PermissionOptionId.of("yes"), "Yes", PermissionOptionKind.ALLOW_ONCE);
    private static final PermissionOption NO =
            PermissionOption.of(PermissionOptionId.of("no"), "No", PermissionOptionKind.REJECT_ONCE);

    private final CurrentMessage current = new CurrentMessage();

    SessionWriter() {}

    /** Returns the session that is written to. */
    public abstract AgentSession session();

    /** Returns the id of the session. */
    public SessionId sessionId() {
        return session().id();
    }

    /** Returns how many steps that end a message the conversation has had. */
    long steps() {
        return session().steps();
    }

    /** The conversation takes a step: what is said from here on is another message. */
    void step() {
        session().step();
    }

    /** Returns the session that a client knows for a question. */
    SessionId asks(AgentDialect client) {
        return sessionId();
    }

    /** Returns a request for input in the session that a client knows for a question. */
    CreateElicitationRequest asks(AgentDialect client, CreateElicitationRequest request) {
        return request;
    }

    /** Throws when the turn that is written to has ended, before anything is changed. */
    private void requireOpen() {
        AgentTurn turn = turn();
        if (turn != null) {
            turn.requireOpen();
        }
    }

    /** Returns the turn that is written to; null when it is the session. */
    @Nullable
    abstract AgentTurn turn();

    /** Returns the client that questions, files and terminals concern first. */
    public abstract ConnectedClient client();

    // ---- what the agent says

    /** Sends a piece of the agent's message. */
    public void message(String text) {
        message(ContentBlock.text(text));
    }

    /** Sends a piece of the agent's message. */
    public void message(ContentBlock content) {
        message(content, null);
    }

    /**
     * Sends a piece of a message of the agent.
     *
     * <p>Every message has an id, by which clients join its pieces. Pieces for which the agent gives none get one that
     * the session has not used: the same until something else is said, by whatever thread. A thought, a message of the
     * user, a new tool call, a plan, a notice, a compaction, a question, and the beginning and the end of a turn end
     * the message; the piece after them begins the next one. A change of a tool call does not: tools go on in the
     * middle of a sentence. What is said through a turn and what is said through its session meanwhile are two
     * messages.
     *
     * @param content the piece
     * @param id the message that it belongs to; null for the one that is being said
     */
    public void message(ContentBlock content, @Nullable MessageId id) {
        send(SessionUpdate.AgentMessageChunk.of(content, messageOf(Entry.Message.Author.AGENT, id)), Meta.EMPTY);
    }

    /** Sends a piece of what the agent thinks. */
    public void thought(String text) {
        thought(ContentBlock.text(text), null);
    }

    /** Sends a piece of what the agent thinks; for the id see {@link #message(ContentBlock, MessageId)}. */
    public void thought(ContentBlock content, @Nullable MessageId id) {
        send(SessionUpdate.AgentThoughtChunk.of(content, messageOf(Entry.Message.Author.THOUGHT, id)), Meta.EMPTY);
    }

    /** Sends a piece of a message of the user: for replaying a loaded session. */
    public void userMessage(ContentBlock content) {
        userMessage(content, null);
    }

    /** Sends a piece of a message of the user; for the id see {@link #message(ContentBlock, MessageId)}. */
    public void userMessage(ContentBlock content, @Nullable MessageId id) {
        send(SessionUpdate.UserMessageChunk.of(content, messageOf(Entry.Message.Author.USER, id)), Meta.EMPTY);
    }

    /** Returns the message of a piece. */
    private MessageId messageOf(Entry.Message.Author author, @Nullable MessageId given) {
        if (given == null) {
            return current.of(author, this);
        }
        session().state().namesMessages();
        current.end();
        return given;
    }

    /** Returns an update as it is sent: a piece of a message has an id. What else the agent says ends the message. */
    private SessionUpdate inConversation(SessionUpdate update) {
        if (update instanceof SessionUpdate.Chunk piece) {
            return piece.messageId() == null ? withId(piece) : said(piece);
        }
        // Not a switch over types, whose first use takes a part of the time to the first update.
        boolean goesOn = update instanceof ToolCallUpdate
                || update instanceof SessionUpdate.ToolCallContentChunk
                || update instanceof TerminalUpdate
                || update instanceof TerminalOutputChunk
                || update instanceof SessionUpdate.AvailableCommandsUpdate
                || update instanceof SessionUpdate.CurrentModeUpdate
                || update instanceof SessionUpdate.ConfigOptionUpdate
                || update instanceof SessionUpdate.SessionInfoUpdate
                || update instanceof UsageUpdate
                || update instanceof SubagentUpdate
                || update instanceof SessionUpdate.Unknown;
        if (!goesOn) {
            step();
        }
        return update;
    }

    private SessionUpdate said(SessionUpdate.Chunk piece) {
        session().state().namesMessages();
        current.end();
        return piece;
    }

    private SessionUpdate withId(SessionUpdate.Chunk piece) {
        return switch (piece) {
            case SessionUpdate.AgentMessageChunk said ->
                new SessionUpdate.AgentMessageChunk(
                        said.content(), messageOf(Entry.Message.Author.AGENT, null), said.rest());
            case SessionUpdate.AgentThoughtChunk said ->
                new SessionUpdate.AgentThoughtChunk(
                        said.content(), messageOf(Entry.Message.Author.THOUGHT, null), said.rest());
            case SessionUpdate.UserMessageChunk said ->
                new SessionUpdate.UserMessageChunk(
                        said.content(), messageOf(Entry.Message.Author.USER, null), said.rest());
        };
    }

    // ---- what the agent does

    /** Announces a pending tool call and returns the handle that reports its progress. */
    public ToolCallHandle toolCall(String title, ToolKind kind) {
        return toolCall(
                ToolCall.builder(session().nextToolCallId(), title).kind(kind).build());
    }

    /** Announces a tool call and returns the handle that reports its progress. */
    public ToolCallHandle toolCall(ToolCall call) {
        update(call);
        return new ToolCallHandle(this, call);
    }

    /** Sends the plan, whole: it replaces the one before. */
    public void plan(List<PlanEntry> entries) {
        update(SessionUpdate.Plan.of(entries));
    }

    /**
     * Sends a plan of these tasks, and returns the handle that ticks them off:
     *
     * <pre>{@code
     * PlanHandle plan = turn.plan("Read the tests", "Change the code", "Run the tests");
     * plan.next();
     * }</pre>
     */
    public PlanHandle plan(String... tasks) {
        if (tasks.length == 0) {
            throw new IllegalArgumentException("a plan needs a task");
        }
        PlanHandle plan = new PlanHandle(this);
        plan.add(tasks);
        return plan;
    }

    // ---- what the session is

    /** Sends the commands that the user may call now, whole. */
    public void commands(List<AvailableCommand> commands) {
        update(SessionUpdate.AvailableCommandsUpdate.of(commands));
    }

    /** Switches the session's mode and notifies the clients. */
    public void mode(SessionModeId mode) {
        requireOpen();
        session().state().currentMode(mode);
        update(SessionUpdate.CurrentModeUpdate.of(mode));
    }

    /**
     * Sets the session's config options. While the session is being opened, they go into the response; later an update
     * notifies the clients. Options that are on or off go only to the clients that support
     * {@link Feature#BOOLEAN_OPTIONS}.
     */
    public void configOptions(List<SessionConfigOption> options) {
        requireOpen();
        if (session().keepConfigOptions(options)) {
            update(SessionUpdate.ConfigOptionUpdate.of(options));
        }
    }

    /** Names the session for people. */
    public void title(String title) {
        update(SessionUpdate.SessionInfoUpdate.builder().title(title).build());
    }

    /**
     * Reports the size of the context.
     *
     * @param used tokens in the context now
     * @param size tokens that the context can hold
     */
    public void usage(long used, long size) {
        usage(UsageUpdate.builder(used, size).build());
    }

    /** Reports the size of the context and the cost. */
    public void usage(UsageUpdate usage) {
        update(usage);
    }

    /**
     * Sends a notice to the clients that support {@link Feature#NOTICES}.
     *
     * @param severity how serious it is
     * @param title one line
     * @param description more, or null
     */
    public void notice(NoticeSeverity severity, String title, @Nullable String description) {
        notice(Notice.builder(severity, title).description(description).build());
    }

    /** Sends a notice to the clients that support {@link Feature#NOTICES}. */
    public void notice(Notice notice) {
        update(notice);
    }

    /** Reports the progress of a compaction of the context to the clients that support {@link Feature#COMPACTION}. */
    public void compaction(CompactionUpdate compaction) {
        update(compaction);
    }

    /** Sends a piece of the summary that a compaction leaves to the clients that support {@link Feature#COMPACTION}. */
    public void compaction(CompactionSummaryChunk piece) {
        update(piece);
    }

    /**
     * Sends an update as either version of the protocol has it: for what this class has no method for, such as
     * {@code _meta}. Each client gets it as its version has it, as far as that can be said there. A piece of a message
     * without an id gets one, as from {@link #message(ContentBlock, MessageId)}.
     *
     * @throws IllegalArgumentException for a {@link StateUpdate}: the turns of a session are its state; and for a plan
     *     of an unknown kind without an id
     */
    public void update(SessionUpdate update) {
        update(update, Meta.EMPTY);
    }

    /**
     * Sends an update; see {@link #update(SessionUpdate)}.
     *
     * @param meta the {@code _meta} beside the update, in the params of the message
     */
    public void update(SessionUpdate update, Meta meta) {
        if (update instanceof StateUpdate) {
            throw new IllegalArgumentException("what a session is doing is said by its turns and AgentSession.work");
        }
        if (update instanceof SessionUpdate.PlanUpdate plan && AgentDialect.idOf(plan.plan()) == null) {
            throw new IllegalArgumentException("a plan needs the member planId: " + plan.plan());
        }
        send(inConversation(update), meta);
    }

    final void send(SessionUpdate update, Meta meta) {
        try {
            session().send(sessionId(), update, meta, turn());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted while waiting for the client, which reads too slowly");
        }
    }

    // ---- asking the client

    /**
     * Returns the {@code _meta} of a request in a turn: the trace of the prompt goes on, unless the program sets one.
     * {@code tracestate} belongs to {@code traceparent}, so they come from one side. Updates carry no trace.
     */
    Meta traced(Meta own) {
        AgentTurn turn = turn();
        if (turn == null || turn.meta().isEmpty()) {
            return own;
        }
        Meta traced = own;
        if (own.get(Meta.TRACEPARENT.name()).isEmpty()) {
            traced = withTrace(traced, turn.meta(), Meta.TRACEPARENT);
            traced = withTrace(traced, turn.meta(), Meta.TRACESTATE);
        }
        return withTrace(traced, turn.meta(), Meta.BAGGAGE);
    }

    private static Meta withTrace(Meta own, Meta prompt, Meta.Key<String> key) {
        String value = own.get(key.name()).isPresent() ? null : prompt.get(key).orElse(null);
        return value == null ? own : own.with(key, value);
    }

    private CreateElicitationRequest traced(CreateElicitationRequest request) {
        return switch (request) {
            case CreateElicitationRequest.Form form ->
                form.toBuilder().meta(traced(form.meta())).build();
            case CreateElicitationRequest.Url page ->
                page.toBuilder().meta(traced(page.meta())).build();
            case CreateElicitationRequest.Unknown unknown -> unknown;
        };
    }

    /** What a request is answered with, when it is. */
    interface Answer<R> {
        R get() throws InterruptedException;
    }

    /** Waits for an answer of a client. */
    abstract <R> R await(Answer<R> answer) throws InterruptedException;

    /**
     * Asks for permission. A person may have to answer, so there is no time limit. Asked is {@link #client()}; if it
     * has left, the one that prompted last of those attached. When nobody is, the question stays open until a client is
     * attached. {@link Agent.Builder#asksAllClients} asks all.
     *
     * @param call what permission is asked for; the client may show all of it
     * @param options what the client may choose from
     * @return the client's choice; an outcome that is not understood is not a permission
     * @throws IllegalArgumentException without an option
     * @throws InterruptedException when the turn is cancelled, or ends first; the question is withdrawn
     */
    public PermissionAnswer requestPermission(ToolCallUpdate call, List<PermissionOption> options)
            throws InterruptedException {
        return requestPermission(call, options, Meta.EMPTY);
    }

    /**
     * Asks for permission; see {@link #requestPermission(ToolCallUpdate, List)}.
     *
     * @param meta the {@code _meta} of the request
     */
    public PermissionAnswer requestPermission(ToolCallUpdate call, List<PermissionOption> options, Meta meta)
            throws InterruptedException {
        return ask(AgentDialect.Permission.of(call, options, traced(meta)));
    }

    /**
     * Asks for permission for something that is no tool call; see {@link #requestPermission(ToolCallUpdate, List)}.
     * Clients of version 1 of the protocol, which has no such questions, show a tool call that ends with the answer.
     *
     * <pre>{@code
     * PermissionAnswer answer = turn.requestPermission("Delete build/?", "It has 3 GB.", List.of(
     *         PermissionOption.of(PermissionOptionId.of("y"), "Delete", PermissionOptionKind.ALLOW_ONCE),
     *         PermissionOption.of(PermissionOptionId.of("n"), "Keep", PermissionOptionKind.REJECT_ONCE)));
     * }</pre>
     *
     * @param title the question in one line
     * @param description more about it, or null
     */
    public PermissionAnswer requestPermission(
            String title, @Nullable String description, List<PermissionOption> options) throws InterruptedException {
        return requestPermission(title, description, null, options);
    }

    /**
     * Asks for permission; see {@link #requestPermission(String, String, List)}.
     *
     * @param subject what the question is about, a tool call or a command; null for something else. In version 1 the
     *     title of the tool call is that of the question, with the description, as long as the agent sends no other
     */
    @Unstable
    public PermissionAnswer requestPermission(
            String title,
            @Nullable String description,
            @Nullable RequestPermissionSubject subject,
            List<PermissionOption> options)
            throws InterruptedException {
        ToolCallId own = session().nextToolCallId();
        AgentDialect.Permission asked =
                AgentDialect.Permission.of(own, title, description, subject, options, traced(Meta.EMPTY));
        if (!asked.call().toolCallId().equals(own)) {
            return ask(asked);
        }
        requireOption(options);
        AgentSessionState state = session().state();
        state.sendInVersion1(sessionId(), SentInVersion1.made(asked.call()));
        ToolCallStatus end = ToolCallStatus.FAILED;
        try {
            PermissionAnswer answer = ask(asked);
            end = ToolCallStatus.COMPLETED;
            return answer;
        } finally {
            state.sendInVersion1(
                    sessionId(), ToolCallUpdate.builder(own).status(end).build());
        }
    }

    private static void requireOption(List<PermissionOption> options) {
        if (options.isEmpty()) {
            throw new IllegalArgumentException("a question needs an option to choose");
        }
    }

    private PermissionAnswer ask(AgentDialect.Permission asked) throws InterruptedException {
        requireOption(asked.options());
        return ask(new Question<>(
                this, null, dialect -> dialect.permission(asks(dialect), asked), given -> !given.isCancelled()));
    }

    /**
     * Asks the user a question with two answers, yes and no, and returns whether the answer is yes. The question is a
     * tool call that asks for permission, which every client can show. A client that allows everything answers yes
     * without asking a person.
     *
     * <pre>{@code
     * if (turn.ask("Delete build/?")) delete(build);
     * }</pre>
     *
     * @throws CancellationException when the user dismisses the question, or the client's answer is neither
     * @throws InterruptedException when the turn is cancelled, or ends first; the question is withdrawn
     */
    public boolean ask(String question) throws InterruptedException {
        try (ToolCallHandle call = toolCall(question, ToolKind.OTHER)) {
            PermissionAnswer answer = call.requestPermission(YES, NO);
            if (answer.option() == null) {
                throw new CancellationException("nobody answered: " + question);
            }
            call.complete();
            return answer.isAllowed();
        }
    }

    /**
     * Runs a command in a terminal of the client, in the folder of the session, and waits until it has ended, however
     * long it takes. A tool call shows the command and its output while it runs; it fails unless the command ends with
     * 0.
     *
     * <pre>{@code
     * CommandResult tests = turn.run("mvn", "-q", "test");
     * }</pre>
     *
     * @param command the program; no shell is involved
     * @param args its arguments
     * @return its output and how it ended
     * @throws UnsupportedException when the client does not offer terminals
     * @throws InterruptedException when the turn is cancelled, or ends first; the command is ended
     * @throws dev.acp4j.rpc.RpcError when the client refuses
     */
    public CommandResult run(String command, String... args) throws InterruptedException {
        AgentTurn turn = turn();
        if (turn != null) {
            turn.checkCancelled();
        }
        List<String> words = new ArrayList<>(List.of(args));
        words.addFirst(command);
        try (ToolCallHandle call =
                        toolCall(String.join(" ", words), ToolKind.EXECUTE).start();
                RemoteTerminal terminal = terminals().start(session().cwd(), command, List.of(args))) {
            call.terminal(terminal.id());
            TerminalExitStatus exit = terminal.waitForExit().exitStatus();
            CommandResult result = new CommandResult(terminal.output(), exit);
            if (result.hasSucceeded()) {
                call.complete();
            }
            return result;
        }
    }

    /**
     * Asks the user for input. A person must answer, so there is no time limit. Asked is, as for permissions, a client
     * that can answer. What it accepts fits the form: its fields, their types, bounds and choices. Patterns and formats
     * are the agent's to check.
     *
     * @throws dev.acp4j.rpc.MalformedMessageException when the client accepts what does not fit the form
     * @throws UnsupportedException when no client that is attached advertised the mode of the request
     * @throws InterruptedException when the turn is cancelled, or ends first; the question is withdrawn
     */
    public CreateElicitationResponse elicit(CreateElicitationRequest request) throws InterruptedException {
        CreateElicitationRequest sent = traced(request);
        return ask(new Question<>(
                this,
                ConnectedClient.needed(request),
                dialect -> dialect.elicitation(asks(dialect, sent)),
                given -> !(given instanceof CreateElicitationResponse.Cancel)));
    }

    private <R> R ask(Question<R> question) throws InterruptedException {
        step();
        boolean isOfTurn = turn() != null;
        if (isOfTurn) {
            session().state().beginAsking();
        }
        try {
            return await(question::ask);
        } finally {
            if (isOfTurn) {
                session().state().endAsking();
            }
        }
    }

    /** Returns the files of {@link #client()}, as far as it offers them. */
    public RemoteFiles files() {
        return new RemoteFiles(this, client(), traced(Meta.EMPTY));
    }

    /** Returns the terminals of {@link #client()}, if it offers them. */
    public RemoteTerminals terminals() {
        return new RemoteTerminals(this, client(), traced(Meta.EMPTY));
    }
}
