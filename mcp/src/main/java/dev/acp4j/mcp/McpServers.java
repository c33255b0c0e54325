package dev.acp4j.mcp;

import com.google.errorprone.annotations.CheckReturnValue;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.Agent;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.Feature;
import dev.acp4j.PermissionAnswer;
import dev.acp4j.ToolCallHandle;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.NoticeSeverity;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionId;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ToolCallContent;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.schema.ToolCallUpdate;
import dev.acp4j.schema.ToolCallUpdateBuilder;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Unstable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The MCP servers of one session of an agent: those that the client names when it opens the session. They are connected
 * while the session lives, and end with it. {@link #addTo} is all that an agent needs:
 *
 * <pre>{@code
 * var agent = Agent.builder("helper", "1.0").onPrompt(turn -> {
 *     McpServers mcp = McpServers.of(turn);
 *     for (Tool tool : mcp.tools(turn)) turn.message("- " + tool.fullName() + "\n");
 * });
 * McpServers.addTo(agent).serve(Stdio.system());
 * }</pre>
 *
 * <p>Servers start when the session is opened, beside everything else. {@link #tools} of the first turns waits for
 * them; a server that takes longer joins in a later turn. One that fails costs its own tools: the client gets a notice,
 * {@link ConnectedServer#failure()} says why. A server that ends by itself is started again, with growing pauses.
 *
 * <p>{@link #call} makes a call of a model: a tool call that clients see, with permission, progress and cancellation.
 *
 * <p>Thread-safe. The lock guards which servers there are; nothing is waited for while it is held.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#mcp-servers">MCP servers</a>
 */
public final class McpServers {
    private static final List<PermissionOption> OPTIONS = List.of(
            PermissionOption.of(PermissionOptionId.of("allow"), "Allow", PermissionOptionKind.ALLOW_ONCE),
            PermissionOption.of(
                    PermissionOptionId.of("allow-always"),
                    "Allow this tool for this session",
                    PermissionOptionKind.ALLOW_ALWAYS),
            PermissionOption.of(PermissionOptionId.of("reject"), "Reject", PermissionOptionKind.REJECT_ONCE));

    private final Builder settings;
    private final AgentSession session;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, ConnectedServer> servers = new LinkedHashMap<>();

    /** The names of tools that the user allows for the session. */
    @GuardedBy("lock")
    private final Set<String> allowed = new HashSet<>();

    /** What the last turn has been given. */
    @GuardedBy("lock")
    private @Nullable Snapshot snapshot;

    /** Until when turns wait for servers that start. */
    @GuardedBy("lock")
    private long patientUntil;

    /** Held while prompts are kept and sent, before the other lock: the last list is sent last. */
    private final ReentrantLock offering = new ReentrantLock();

    /** The commands of the agent itself; null if it offers none of the prompts. */
    @GuardedBy("offering")
    private @Nullable List<AvailableCommand> ownCommands;

    @GuardedBy("offering")
    private final Map<ConnectedServer, List<Prompt>> prompts = new HashMap<>();

    private record Snapshot(AgentTurn turn, List<Tool> tools) {}

    private McpServers(Builder settings, AgentSession session) {
        this.settings = settings;
        this.session = session;
    }

    /**
     * Lets an agent connect the MCP servers of its sessions over standard input and output, with all settings as they
     * are by default; see {@link Builder}.
     *
     * @return the same builder
     */
    public static Agent.Builder addTo(Agent.Builder agent) {
        return builder().addTo(agent);
    }

    /** Begins other settings than those of {@link #addTo(Agent.Builder)}. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the servers of the session of a turn.
     *
     * @throws IllegalStateException when they were not added to the agent
     */
    public static McpServers of(AgentTurn turn) {
        return of(turn.session());
    }

    /**
     * Returns the servers of a session.
     *
     * @throws IllegalStateException when they were not added to the agent
     */
    public static McpServers of(AgentSession session) {
        return session.attachment(McpServers.class);
    }

    /** Returns all servers of the session, in the order of their declaration, also those that are not connected. */
    public List<ConnectedServer> servers() {
        lock.lock();
        try {
            return List.copyOf(servers.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the server that the client has declared under this name. */
    public Optional<ConnectedServer> server(String name) {
        lock.lock();
        try {
            return Optional.ofNullable(servers.get(name));
        } finally {
            lock.unlock();
        }
    }

    // ---- tools

    /**
     * Returns the tools that a turn has: the same from its beginning to its end, whatever changes meanwhile. Waits for
     * servers that are still starting, for at most {@link Builder#patience} since the session was opened.
     *
     * @throws InterruptedException when the turn is cancelled
     */
    public List<Tool> tools(AgentTurn turn) throws InterruptedException {
        long until;
        lock.lock();
        try {
            if (snapshot != null && snapshot.turn() == turn) {
                return snapshot.tools();
            }
            until = patientUntil;
        } finally {
            lock.unlock();
        }
        List<Tool> tools = new ArrayList<>();
        for (ConnectedServer server : servers()) {
            server.awaitSettled(until);
            server.refresh();
            tools.addAll(server.tools());
        }
        List<Tool> all = List.copyOf(tools);
        lock.lock();
        try {
            snapshot = new Snapshot(turn, all);
        } finally {
            lock.unlock();
        }
        return all;
    }

    /**
     * Calls a tool for a model, as a tool call of the turn: the client sees it with its arguments, is asked for
     * permission, sees progress and what it returns. Blocks until then. Whatever goes wrong becomes a result that is an
     * error, for the model to read: an unknown name, arguments that do not match the schema, a refusal of the user, a
     * server that does not answer.
     *
     * <pre>{@code
     * ToolResult result = McpServers.of(turn).call(turn, "files__read", RawJson.parse("{\"path\":\"pom.xml\"}"));
     * }</pre>
     *
     * @param tool the {@linkplain Tool#modelName() name for models}, or the {@linkplain Tool#fullName() full name}
     * @param arguments an object, as the model wrote it
     * @throws InterruptedException when the turn is cancelled; the call is then cancelled at the server, too
     */
    public ToolResult call(AgentTurn turn, String tool, RawJson arguments) throws InterruptedException {
        for (Tool known : tools(turn)) {
            if (known.modelName().equals(tool) || known.fullName().equals(tool)) {
                return call(turn, known, arguments);
            }
        }
        return ToolResult.failure("there is no tool " + tool);
    }

    private ToolResult call(AgentTurn turn, Tool tool, RawJson arguments) throws InterruptedException {
        ConnectedServer server = server(tool.server()).orElseThrow();
        try (ToolCallHandle call = turn.toolCall(tool.fullName(), ToolKind.OTHER)) {
            call.rawInput(arguments);
            String problem = arguments.reader().kind() == JsonReader.Kind.OBJECT
                    ? server.problems(tool, arguments)
                    : "the arguments must be an object";
            if (problem.isEmpty() && !mayCall(turn, tool, call, arguments)) {
                problem = "the user did not allow " + tool.fullName();
            }
            ToolResult result =
                    problem.isEmpty() ? run(turn, tool, server, call, arguments) : ToolResult.failure(problem);
            show(call, result);
            return result;
        }
    }

    private boolean mayCall(AgentTurn turn, Tool tool, ToolCallHandle call, RawJson arguments)
            throws InterruptedException {
        if ((settings.asks != null && !settings.asks.test(tool)) || isAllowed(tool)) {
            return true;
        }
        ToolCallUpdate question = ToolCallUpdate.builder(call.id())
                .title(tool.fullName())
                .kind(ToolKind.OTHER)
                .rawInput(arguments)
                .build();
        PermissionAnswer answer = turn.requestPermission(question, OPTIONS);
        if (answer.isAllowed() && answer.isAlways()) {
            lock.lock();
            try {
                allowed.add(tool.modelName());
            } finally {
                lock.unlock();
            }
        }
        return answer.isAllowed();
    }

    private boolean isAllowed(Tool tool) {
        lock.lock();
        try {
            return allowed.contains(tool.modelName());
        } finally {
            lock.unlock();
        }
    }

    private ToolResult run(AgentTurn turn, Tool tool, ConnectedServer server, ToolCallHandle call, RawJson arguments)
            throws InterruptedException {
        call.start();
        server.begin(turn, call.id());
        try {
            return server.call(tool.name(), arguments, turn.meta(), new ShownProgress(call, settings.time));
        } catch (Link.Silence e) {
            return ToolResult.failure("the MCP server " + tool.server() + " did not answer in time; it may have done "
                    + "what it was asked for");
        } catch (RpcError e) {
            return ToolResult.failure("the MCP server " + tool.server() + " refused: " + e.message());
        } catch (ConnectionClosedException e) {
            String why = server.failure().map(ServerFailure::problem).orElse("its connection has ended");
            return ToolResult.failure(
                    "the MCP server " + tool.server() + " is not connected: " + why + "; the call is not repeated");
        } catch (RpcException e) {
            return ToolResult.failure(
                    "the answer of the MCP server " + tool.server() + " is not usable: " + e.getMessage());
        } finally {
            server.end(call.id());
        }
    }

    private static void show(ToolCallHandle call, ToolResult result) {
        List<ToolCallContent> content = new ArrayList<>();
        for (ContentBlock block : result.content()) {
            content.add(ToolCallContent.of(block));
        }
        ToolCallUpdateBuilder end = ToolCallUpdate.builder(call.id())
                .status(result.isError() ? ToolCallStatus.FAILED : ToolCallStatus.COMPLETED)
                .content(content);
        if (result.structured() != null) {
            end.rawOutput(result.structured());
        }
        call.update(end.build());
    }

    /** Shows progress as it comes, but not more than a few times a second. */
    private static final class ShownProgress implements Link.Progress {
        private static final long PAUSE = Duration.ofMillis(250).toNanos();

        private final ToolCallHandle call;
        private final Time time;

        // For the thread of the connection's lane.
        private boolean isFirst = true;
        private long shown;

        ShownProgress(ToolCallHandle call, Time time) {
            this.call = call;
            this.time = time;
        }

        @Override
        public void reported(double done, @Nullable Double total, String message) {
            long now = time.nanoTime();
            if (isFirst || now - shown >= PAUSE) {
                isFirst = false;
                shown = now;
                String count = number(done) + (total == null ? "" : " of " + number(total));
                call.progress(message.isEmpty() ? count : message + " (" + count + ")");
            }
        }

        private static String number(double value) {
            return value == Math.rint(value) && Math.abs(value) < 1e15
                    ? Long.toString((long) value)
                    : Double.toString(value);
        }
    }

    // ---- prompts as commands

    /**
     * Offers the prompts of the servers as slash commands, {@code /server:prompt}, behind those of the agent. Sends
     * {@code available_commands_update} at once, and again when a server has started or has other prompts. Takes the
     * place of {@link AgentSession#commands}.
     *
     * <pre>{@code
     * McpServers.addTo(agent.onNewSession(session -> McpServers.of(session).commands(List.of())));
     * // and in a turn:
     * var asked = McpServers.of(turn).command(turn);
     * }</pre>
     *
     * @param own the commands of the agent itself
     */
    public void commands(List<AvailableCommand> own) {
        offering.lock();
        try {
            ownCommands = List.copyOf(own);
            session.commands(withPrompts(ownCommands));
        } finally {
            offering.unlock();
        }
        // Those that are ready by now have not been asked for their prompts, the others will be.
        for (ConnectedServer server : servers()) {
            if (server.state() == ConnectedServer.State.READY) {
                server.offerPrompts();
            }
        }
    }

    /**
     * Fills in the prompt of a server that the user has called by its slash command. What follows the command are the
     * arguments in their order, or as {@code name=value}; a text with spaces is in quotes, and the last argument takes
     * all that is left. Blocks until the server has answered.
     *
     * @return the messages for the model; empty when the prompt of the turn is no such command
     * @throws RpcError when an argument is missing or too much, the server is not connected, or it refuses
     */
    public Optional<List<Prompt.Message>> command(AgentTurn turn) throws InterruptedException {
        String text = turn.text().strip();
        for (ConnectedServer server : text.startsWith("/") ? servers() : List.<ConnectedServer>of()) {
            if (text.startsWith(PromptCommand.start(server.name()), 1)) {
                PromptCommand command = command(server, text.substring(1).split("\\s", 2)[0]);
                if (command != null) {
                    Prompt prompt = command.prompt();
                    String arguments = text.substring(1 + command.name().length());
                    return Optional.of(server.prompt(prompt.name(), command.arguments(arguments)));
                }
            }
        }
        return Optional.empty();
    }

    private @Nullable PromptCommand command(ConnectedServer server, String name) throws InterruptedException {
        long until;
        lock.lock();
        try {
            until = patientUntil;
        } finally {
            lock.unlock();
        }
        server.awaitSettled(until);
        try {
            for (Prompt prompt : server.prompts()) {
                PromptCommand command = new PromptCommand(prompt);
                if (command.name().equals(name)) {
                    return command;
                }
            }
            return null;
        } catch (ConnectionClosedException e) {
            throw new RpcError(RpcError.INTERNAL_ERROR, String.valueOf(e.getMessage()));
        }
    }

    /** A server has started or has other prompts. Blocks until it has listed them, if they are offered. */
    void offer(ConnectedServer server) throws InterruptedException {
        offering.lock();
        try {
            if (ownCommands == null) {
                return;
            }
        } finally {
            offering.unlock();
        }
        List<Prompt> listed = server.prompts();
        offering.lock();
        try {
            prompts.put(server, listed);
            session.commands(withPrompts(ownCommands));
        } finally {
            offering.unlock();
        }
    }

    @GuardedBy("offering")
    private List<AvailableCommand> withPrompts(List<AvailableCommand> own) {
        List<AvailableCommand> all = new ArrayList<>(own);
        Set<String> names = new HashSet<>();
        all.forEach(command -> names.add(command.name()));
        for (ConnectedServer server : servers()) {
            for (Prompt prompt : prompts.getOrDefault(server, List.of())) {
                AvailableCommand command = new PromptCommand(prompt).available();
                if (names.add(command.name())) {
                    all.add(command);
                }
            }
        }
        return all;
    }

    // ---- opening and closing

    private record Opening(Builder settings) implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) throws InterruptedException {
            open(settings, session);
        }
    }

    private static final class Ending implements Agent.SessionHandler {
        @Override
        public void handle(AgentSession session) {
            of(session).close();
        }
    }

    private static void open(Builder settings, AgentSession session) throws InterruptedException {
        McpServers mcp;
        try {
            mcp = of(session);
        } catch (IllegalStateException e) {
            mcp = new McpServers(settings, session);
            session.attach(mcp);
        }
        if (session.mcpServers().isEmpty()) {
            return;
        }
        for (McpServer declared : session.mcpServers()) {
            settings.check(declared, session.mcpServers());
        }
        mcp.declare(session);
    }

    /** Connects what a client declares. Another client of the session may have declared some of it before. */
    private void declare(AgentSession session) throws InterruptedException {
        List<ConnectedServer> replaced = new ArrayList<>();
        List<ConnectedServer> added = new ArrayList<>();
        long now = settings.time.nanoTime();
        lock.lock();
        try {
            for (McpServer declared : session.mcpServers()) {
                String name = ConnectedServer.nameOf(declared);
                ConnectedServer known = servers.get(name);
                if (known == null || !known.declaration().equals(declared)) {
                    ConnectedServer server = new ConnectedServer(this, settings, session, declared);
                    servers.put(name, server);
                    added.add(server);
                    if (known != null) {
                        replaced.add(known);
                    }
                }
            }
            patientUntil = now + settings.patience.toNanos();
        } finally {
            lock.unlock();
        }
        close(replaced);
        added.forEach(ConnectedServer::start);
        long until = now + (settings.isRequired ? settings.patience : settings.grace).toNanos();
        for (ConnectedServer server : added) {
            server.awaitSettled(until);
            if (settings.isRequired && server.state() != ConnectedServer.State.READY) {
                String why = server.failure().map(ServerFailure::toString).orElse("it did not start in time");
                throw new RpcError(
                        RpcError.INTERNAL_ERROR, "the MCP server " + server.name() + " is not connected: " + why);
            }
        }
    }

    private void close() {
        close(servers());
    }

    private static void close(List<ConnectedServer> servers) {
        servers.forEach(ConnectedServer::beginClose);
        servers.forEach(ConnectedServer::awaitEnd);
    }

    /** Tells the clients of a session, if there are any that show notices. */
    void notice(AgentSession session, String title, String text) {
        try {
            session.notice(NoticeSeverity.WARNING, title, text);
        } catch (RuntimeException e) {
            // The session has ended meanwhile.
        }
    }

    /** Sees what a client wants to be started or connected, before anything is. */
    @FunctionalInterface
    public interface Approval {
        /**
         * Returns if the server may be started or connected. Runs on the thread of the server, so that it may ask the
         * user; the session goes on meanwhile.
         *
         * @param session the session
         * @param server the declaration, with the command and the names of variables, or the address
         * @throws Exception to refuse; the message is the reason shown to the user
         */
        void check(AgentSession session, McpServer server) throws Exception;
    }

    /** Says how an agent connects the MCP servers of its sessions. */
    public static final class Builder implements Cloneable {
        Duration grace = Duration.ofMillis(500);
        Duration patience = Duration.ofSeconds(15);
        Duration startTime = Duration.ofMinutes(2);
        Duration listTime = Duration.ofSeconds(30);
        Duration callPatience = Duration.ofMinutes(2);
        Duration callTime = Duration.ofMinutes(30);
        Duration restartPause = Duration.ofSeconds(1);
        long resourceBytes = 10 * 1024 * 1024;
        int restarts = 5;
        boolean isHttp;
        boolean isSse;
        boolean isAcp;
        final AcpTransport.Receivers receivers = new AcpTransport.Receivers();
        boolean isRequired;
        // Null for what is not set: no lambdas, each of which costs an agent some milliseconds of its start.

        @Nullable
        Predicate<? super Tool> asks;

        @Nullable
        Function<? super Tool, @Nullable Duration> silence;

        @Nullable
        Approval approval;

        @Nullable
        Consumer<? super ConnectedServer> onChange;

        LogMessage.@Nullable Level logLevel;

        @Nullable
        BiConsumer<? super ConnectedServer, ? super LogMessage> onLog;

        Time time = Time.SYSTEM;

        private Builder() {}

        /** Offers servers over HTTP, too. Agents should; they are reached from where the agent runs. */
        public Builder http() {
            isHttp = true;
            return this;
        }

        /** Offers servers over HTTP with server-sent events, a transport that MCP has replaced in 2025. */
        public Builder sse() {
            isSse = true;
            return this;
        }

        /**
         * Offers servers that a client has itself, reached over its connection: a draft.
         *
         * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
         */
        @Unstable
        public Builder acp() {
            isAcp = true;
            return this;
        }

        /** Refuses to open a session when one of its servers cannot be connected, instead of going on without it. */
        public Builder required() {
            isRequired = true;
            return this;
        }

        /** Sets how long opening a session waits for its servers, so that fast ones are there; half a second. */
        public Builder grace(Duration value) {
            grace = notNegative(value);
            return this;
        }

        /** Sets how long after opening the session its turns wait for servers that start; 15 seconds. */
        public Builder patience(Duration value) {
            patience = notNegative(value);
            return this;
        }

        /** Sets how long a server may take to start; two minutes, since some download themselves first. */
        public Builder startTime(Duration value) {
            startTime = notNegative(value);
            return this;
        }

        /** Sets how long a server may take to list what it has or to read a resource; 30 seconds. */
        public Builder listTime(Duration value) {
            listTime = notNegative(value);
            return this;
        }

        /**
         * Sets how long a call may take.
         *
         * @param silence how long without progress; two minutes
         * @param most how long in all; 30 minutes
         */
        public Builder callTime(Duration silence, Duration most) {
            callPatience = notNegative(silence);
            callTime = notNegative(most);
            return this;
        }

        /**
         * Sets how long calls of single tools may take without progress, instead of what {@link #callTime(Duration,
         * Duration)} says; in all they may take as long as any.
         *
         * <pre>{@code
         * McpServers.builder().callTime(tool -> tool.server().equals("builds") ? Duration.ofMinutes(20) : null)
         * }</pre>
         *
         * @param silence returns the time for a tool, or null for that of all
         */
        public Builder callTime(Function<? super Tool, @Nullable Duration> silence) {
            this.silence = silence;
            return this;
        }

        /**
         * Sets how often a server that ends by itself is started again.
         *
         * @param most how often in a row; 5
         * @param pause the first pause, which doubles each time; a second
         */
        public Builder restarts(int most, Duration pause) {
            restarts = most;
            restartPause = notNegative(pause);
            return this;
        }

        /**
         * Sets how large a resource may be that is read, in bytes; 10 MiB. A larger one is an error, since models read
         * no more than that.
         */
        public Builder resourceBytes(long most) {
            if (most < 0) {
                throw new IllegalArgumentException("a size must not be negative: " + most);
            }
            resourceBytes = most;
            return this;
        }

        /**
         * Sets for which tools the user is asked before a call; all without this. What the user has allowed for the
         * session is not asked again.
         */
        public Builder asks(Predicate<? super Tool> value) {
            asks = value;
            return this;
        }

        /** Sets what sees each declaration before anything is started or connected. */
        public Builder approval(Approval value) {
            approval = value;
            return this;
        }

        /** Sets what is called when a server is connected, or has other tools than before; the next turn has them. */
        public Builder onChange(Consumer<? super ConnectedServer> value) {
            onChange = value;
            return this;
        }

        /**
         * Asks the servers for log messages, of which they send none without this.
         *
         * <pre>{@code
         * McpServers.builder().onLog(LogMessage.Level.WARNING, (server, message) ->
         *         log.warn("{}: {}: {}", server.name(), message.level(), message.text()));
         * }</pre>
         *
         * @param least the least level; messages below it are discarded, whatever the server sends
         * @param listener takes them, in the order in which a server has sent them, on a thread that reads from it:
         *     what blocks there holds up what this server reports
         */
        public Builder onLog(LogMessage.Level least, BiConsumer<? super ConnectedServer, ? super LogMessage> listener) {
            logLevel = Objects.requireNonNull(least);
            onLog = Objects.requireNonNull(listener);
            return this;
        }

        /** Sets the clock, for tests. */
        public Builder time(Time value) {
            time = value;
            return this;
        }

        private static Duration notNegative(Duration value) {
            if (value.isNegative()) {
                throw new IllegalArgumentException("a time must not be negative: " + value);
            }
            return value;
        }

        /**
         * Adds the servers to an agent, which then advertises what was switched on. Later changes of this builder do
         * not affect it.
         *
         * @return the builder of the agent
         */
        public Agent.Builder addTo(Agent.Builder agent) {
            Builder settings = copy();
            agent.supports(Feature.MCP_STDIO);
            if (isHttp) {
                agent.supports(Feature.MCP_HTTP);
            }
            if (isSse) {
                agent.supports(Feature.MCP_SSE);
            }
            if (isAcp) {
                agent.supports(Feature.MCP_ACP).onNotification(AgentMethods.MESSAGE_MCP, settings.receivers);
            }
            return agent.onSessionOpening(new Opening(settings)).onSessionEnd(new Ending());
        }

        @CheckReturnValue
        private Builder copy() {
            try {
                return (Builder) clone();
            } catch (CloneNotSupportedException e) {
                throw new AssertionError(e);
            }
        }

        /** Refuses a declaration that cannot be followed. */
        private void check(McpServer declared, List<McpServer> all) {
            String name = ConnectedServer.nameOf(declared);
            String problem = switch (declared) {
                case McpServer.Stdio stdio -> problem(stdio);
                case McpServer.Http http -> isHttp ? HttpTransport.problem(http.url()) : unsupported("http");
                case McpServer.Sse sse -> isSse ? HttpTransport.problem(sse.url()) : unsupported("sse");
                case McpServer.Acp acp -> isAcp ? null : unsupported("acp");
                case McpServer.Unknown unknown -> unsupported(unknown.type());
            };
            if (problem == null && name.isBlank()) {
                problem = "it has no name";
            }
            if (problem == null
                    && all.stream()
                                    .filter(other -> name.equals(ConnectedServer.nameOf(other)))
                                    .count()
                            > 1) {
                problem = "its name is used twice";
            }
            if (problem != null) {
                throw RpcError.invalidParams("params.mcpServers: the server \"" + name + "\": " + problem);
            }
        }

        private static @Nullable String problem(McpServer.Stdio stdio) {
            try {
                Launch launch = Launch.of(stdio.command(), stdio.args());
                for (var variable : stdio.env()) {
                    launch = launch.env(variable.name(), variable.value());
                }
                return Objects.requireNonNull(launch).command().isEmpty() ? "it has no command" : null;
            } catch (IllegalArgumentException e) {
                return e.getMessage();
            }
        }

        private String unsupported(String kind) {
            return "this agent has not advertised MCP servers of the kind " + kind + "; it takes stdio"
                    + (isHttp ? ", http" : "") + (isSse ? ", sse" : "") + (isAcp ? ", acp" : "");
        }
    }
}
