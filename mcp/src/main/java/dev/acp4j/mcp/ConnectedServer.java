package dev.acp4j.mcp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.AgentSession;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.SessionWriter;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.ExitStatus;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchException;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.ConnectionClosedException;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.StreamTransport;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Codecs;
import dev.acp4j.schema.CompleteElicitationNotification;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ElicitationId;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Meta;
import dev.acp4j.schema.ResourceContents;
import dev.acp4j.schema.ToolCallId;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A server of a session, from its declaration to the end of the session. It is started at once, and started again with
 * growing pauses when it ends by itself. All methods may be called from any thread.
 *
 * <p>What asks the server blocks until it has answered, for at most the times of {@link McpServers.Builder}, and throws
 * {@link ConnectionClosedException} when the server is not connected, {@link RpcError} when it refuses or does not
 * answer in time, and {@link InterruptedException} when the thread is interrupted, which cancels the request at the
 * server. Nothing is sent twice.
 *
 * <p>The lock guards the state; nothing is sent or waited for while it is held, except a change of the state itself.
 */
public final class ConnectedServer {
    /** What a server is doing. */
    public enum State {
        /** It is being started, for the first time or again. */
        STARTING,
        /** Its tools can be called. */
        READY,
        /** It could not be started, or has ended too often; {@link #failure()} says why. */
        FAILED,
        /** It was closed with its session. */
        CLOSED
    }

    private static final System.Logger LOG = System.getLogger("dev.acp4j.mcp");
    /** Makes the name of each declared value that of a secret: which of them is one cannot be known. */
    private static final String SECRET = "SECRET_";

    private static final int MOST_STDERR_LINES = 10;
    private static final Duration END_TIME = Duration.ofSeconds(8);

    private final McpServers owner;
    private final McpServers.Builder settings;
    private final AgentSession session;
    private final McpServer declaration;
    private final String name;
    private final Redaction redaction;
    private final Thread thread;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    @GuardedBy("lock")
    private State state = State.STARTING;

    @GuardedBy("lock")
    private @Nullable Link link;

    @GuardedBy("lock")
    private @Nullable ServerFailure failure;

    @GuardedBy("lock")
    private Map<String, Tool> tools = Map.of();

    @GuardedBy("lock")
    private Map<String, ArgumentCheck> checks = Map.of();

    /** The tools that were left out of the last list, and why. */
    @GuardedBy("lock")
    private List<String> leftOut = List.of();

    /** Whether the tools are others than were listed, as the server has reported. */
    @GuardedBy("lock")
    private boolean isStale;

    /** Until when a server that did not list its tools in time is not asked again, so that not each turn waits. */
    @GuardedBy("lock")
    private long listAgainAt;

    @GuardedBy("lock")
    private final Backoff listing = new Backoff();

    /** What wants to know of updates of resources. */
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();

    /** How often the prompts have changed since a thread began to list them; 0 if none does. */
    private final AtomicInteger unoffered = new AtomicInteger();

    /** The calls that run, the last one last: a question of a server with a handshake is taken for one of that. */
    @GuardedBy("lock")
    private final List<Running> running = new ArrayList<>();

    /** @param thread makes the call, and asks what a modern server answers to it with */
    private record Running(AgentTurn turn, ToolCallId call, Thread thread) {}

    ConnectedServer(McpServers owner, McpServers.Builder settings, AgentSession session, McpServer declaration) {
        this.owner = owner;
        this.settings = settings;
        this.session = session;
        this.declaration = declaration;
        this.name = nameOf(declaration);
        this.redaction = redaction(declaration);
        this.thread = Thread.ofPlatform().daemon().name("acp4j-mcp-" + name).unstarted(this::run);
    }

    static String nameOf(McpServer declaration) {
        return switch (declaration) {
            case McpServer.Stdio stdio -> stdio.name();
            case McpServer.Http http -> http.name();
            case McpServer.Sse sse -> sse.name();
            case McpServer.Acp acp -> acp.name();
            case McpServer.Unknown unknown -> Members.of(unknown.raw()).text("name", "");
        };
    }

    static Redaction redaction(McpServer declaration) {
        Map<String, String> secrets = new HashMap<>();
        switch (declaration) {
            case McpServer.Stdio stdio ->
                stdio.env().forEach(entry -> secrets.put(SECRET + entry.name(), entry.value()));
            case McpServer.Http http ->
                http.headers().forEach(entry -> secrets.put(SECRET + entry.name(), entry.value()));
            case McpServer.Sse sse -> sse.headers().forEach(entry -> secrets.put(SECRET + entry.name(), entry.value()));
            default -> {
                // Nothing is declared that could be a secret.
            }
        }
        return Redaction.SECRETS.and(secrets);
    }

    void start() {
        thread.start();
    }

    /** Ends the server without waiting for it. */
    void beginClose() {
        lock.lock();
        try {
            state = State.CLOSED;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        thread.interrupt();
    }

    /** Waits until everything of the server has ended. */
    void awaitEnd() {
        boolean interrupted = Thread.interrupted();
        try {
            boolean unused = thread.join(END_TIME);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    McpServer declaration() {
        return declaration;
    }

    // ---- what it is

    /** Returns the name, as the client declared it. */
    public String name() {
        return name;
    }

    /** Returns the session that it is connected for. */
    public AgentSession session() {
        return session;
    }

    /** Returns what the server is doing. */
    public State state() {
        lock.lock();
        try {
            return state;
        } finally {
            lock.unlock();
        }
    }

    /** Returns why the server is not connected, or was not the last time; empty when it always was. */
    public Optional<ServerFailure> failure() {
        lock.lock();
        try {
            return Optional.ofNullable(failure);
        } finally {
            lock.unlock();
        }
    }

    /** Returns the revision of MCP that is spoken with the server, such as {@code 2025-11-25}; empty until then. */
    public Optional<String> protocolVersion() {
        Link now = linkOrNull();
        return now == null ? Optional.empty() : Optional.of(now.version());
    }

    /** Returns what the server says about how to use it, for the model; may be empty. */
    public String instructions() {
        Link now = linkOrNull();
        return now == null ? "" : now.instructions();
    }

    /** Returns the tools that were listed last; none when the server is not connected. */
    public List<Tool> tools() {
        lock.lock();
        try {
            return state == State.READY ? List.copyOf(tools.values()) : List.of();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public String toString() {
        return name + " (" + state() + ")";
    }

    // ---- what it does

    /**
     * Calls a tool for the program itself: without a tool call that clients see, and without asking anybody. For calls
     * of a model use {@link McpServers#call}.
     *
     * @param tool the server's name for the tool
     * @param arguments an object
     */
    public ToolResult call(String tool, RawJson arguments) throws InterruptedException {
        return call(tool, arguments, Meta.EMPTY, null);
    }

    ToolResult call(String tool, RawJson arguments, Meta trace, Link.@Nullable Progress progress)
            throws InterruptedException {
        Link now = link("tools/call");
        RawJson result;
        try {
            result = call(now, tool, arguments, trace, progress);
        } catch (RpcError e) {
            if (e.code() != Link.HEADER_MISMATCH) {
                throw e;
            }
            // Which arguments are headers has changed. Nothing was done yet.
            list(now);
            result = call(now, tool, arguments, trace, progress);
        }
        return ToolResult.of(Members.of(result), result);
    }

    private RawJson call(Link now, String tool, RawJson arguments, Meta trace, Link.@Nullable Progress progress)
            throws InterruptedException {
        return now.request(
                "tools/call",
                out -> {
                    out.name("name");
                    out.string(tool);
                    out.name("arguments");
                    out.raw(arguments);
                },
                trace,
                parameters(tool, arguments),
                progress == null ? (done, total, message) -> {} : progress,
                silence(tool),
                settings.callTime);
    }

    private @Nullable Tool known(String tool) {
        lock.lock();
        try {
            return tools.get(tool);
        } finally {
            lock.unlock();
        }
    }

    /** Returns how long a call of a tool may be without progress. */
    private Duration silence(String tool) {
        Tool known = known(tool);
        Duration own = known == null || settings.silence == null ? null : settings.silence.apply(known);
        return own == null ? settings.callPatience : own;
    }

    /** Returns the arguments that a modern server wants as headers, too. */
    private Map<String, String> parameters(String tool, RawJson arguments) {
        Tool known = known(tool);
        return known == null ? Map.of() : ParameterHeaders.of(known.inputSchema(), arguments);
    }

    /** Returns the resources that the server lists. */
    public List<ContentBlock.ResourceLink> resources() throws InterruptedException {
        Link now = link("resources/list");
        List<ContentBlock.ResourceLink> links = new ArrayList<>();
        if (now.offers("resources")) {
            for (RawJson raw : now.list("resources/list", "resources", settings.listTime)) {
                Members resource = Members.of(raw);
                String uri = resource.text("uri");
                if (uri != null) {
                    Double size = resource.number("size");
                    links.add(ContentBlock.ResourceLink.builder(resource.text("name", uri), uri)
                            .title(resource.text("title"))
                            .description(resource.text("description"))
                            .mimeType(resource.text("mimeType"))
                            .size(size == null ? null : (Long) size.longValue())
                            .build());
                }
            }
        }
        return links;
    }

    /** Returns the templates of addresses by which the server has more resources than it lists. */
    public List<ResourceTemplate> resourceTemplates() throws InterruptedException {
        Link now = link("resources/templates/list");
        List<ResourceTemplate> templates = new ArrayList<>();
        if (now.offers("resources")) {
            for (RawJson raw : now.list("resources/templates/list", "resourceTemplates", settings.listTime)) {
                ResourceTemplate template = ResourceTemplate.of(name, Members.of(raw));
                if (template != null) {
                    templates.add(template);
                }
            }
        }
        return templates;
    }

    /**
     * Reads a resource through the server; nothing is fetched from its address by this side.
     *
     * @param uri its address, as the server named it or {@link ResourceTemplate#expand} returned it
     * @throws RpcError also when it has more bytes than {@link McpServers.Builder#resourceBytes} allows
     * @throws MissingCapabilityError when the server needs a capability of its client that is missing
     */
    public List<ResourceContents> read(String uri) throws InterruptedException {
        RawJson result = link("resources/read")
                .request(
                        "resources/read",
                        out -> {
                            out.name("uri");
                            out.string(uri);
                        },
                        null,
                        settings.listTime,
                        settings.listTime);
        List<ResourceContents> contents = new ArrayList<>();
        long bytes = 0;
        for (RawJson raw : Members.of(result).list("contents")) {
            bytes += bytes(Members.of(raw));
            contents.add(contents(raw));
        }
        if (bytes > settings.resourceBytes) {
            throw new RpcError(
                    RpcError.INTERNAL_ERROR,
                    "the resource " + uri + " of the MCP server " + name + " has " + bytes + " bytes, more than the "
                            + settings.resourceBytes + " that are read");
        }
        return contents;
    }

    /**
     * Has the server report updates of a resource, until that is closed or the session ends; after the server was
     * started again, too, with one update in between. What the resource is then is for {@link #read}.
     *
     * <pre>{@code
     * try (var updates = server.subscribe("file:///build.log", uri -> changed.release())) { ... }
     * }</pre>
     *
     * @param uri its address, as the server named it
     * @param onUpdate takes the address of what has changed, which may be a part of the resource; called in the order
     *     of the reports, on a thread that reads from the server, so it must not wait for one of its answers
     * @throws RpcError when the server reports no updates
     */
    public Subscription subscribe(String uri, Consumer<? super String> onUpdate) throws InterruptedException {
        Link now = link("resources/subscribe");
        Subscription subscription = new Subscription(uri, onUpdate);
        // Before the server knows, so that no update is missed.
        subscriptions.add(subscription);
        boolean isBegun = false;
        try {
            subscription.begin(now);
            isBegun = true;
            return subscription;
        } finally {
            if (!isBegun) {
                subscription.close();
            }
        }
    }

    /** The updates of a resource, for as long as they are wanted. */
    public final class Subscription implements AutoCloseable {
        private final String uri;
        private final Consumer<? super String> onUpdate;

        /** The connection that it is subscribed at; null until it is for the first time. */
        @GuardedBy("lock")
        private @Nullable Link at;

        private Subscription(String uri, Consumer<? super String> onUpdate) {
            this.uri = uri;
            this.onUpdate = onUpdate;
        }

        /** Subscribes, unless it is closed meanwhile. */
        private void begin(Link now) throws InterruptedException {
            now.subscribe(uri, settings.listTime);
            boolean isWanted;
            lock.lock();
            try {
                isWanted = subscriptions.contains(this);
                at = isWanted ? now : at;
            } finally {
                lock.unlock();
            }
            if (!isWanted) {
                now.unsubscribe(uri);
            }
        }

        /** Whether it is wanted, and was subscribed at a connection that has ended since. */
        private boolean isLost(Link now) {
            lock.lock();
            try {
                return subscriptions.contains(this) && at != null && !at.equals(now);
            } finally {
                lock.unlock();
            }
        }

        /** Ends it; the server is asked to report no more, without waiting for it. */
        @Override
        public void close() {
            Link ended;
            lock.lock();
            try {
                ended = subscriptions.remove(this) ? at : null;
            } finally {
                lock.unlock();
            }
            if (ended != null) {
                ended.unsubscribe(uri);
            }
        }
    }

    /** Subscribes to what was subscribed to before the server was started again. */
    private void subscribeAgain(Link now) throws InterruptedException {
        for (Subscription subscription : subscriptions) {
            try {
                if (subscription.isLost(now)) {
                    subscription.begin(now);
                    call("onUpdate", subscription.onUpdate, subscription.uri);
                }
            } catch (RpcException e) {
                owner.notice(
                        session,
                        "MCP server " + name + " reports no updates of " + subscription.uri + " any more",
                        redaction.redact(e.toString()));
            }
        }
    }

    private static long bytes(Members contents) {
        String blob = contents.text("blob");
        return blob == null
                ? contents.text("text", "").getBytes(StandardCharsets.UTF_8).length
                : blob.replace("=", "").length() * 3L / 4;
    }

    private static ResourceContents contents(RawJson raw) {
        try {
            return raw.decode(Codecs.resourceContents());
        } catch (JsonException e) {
            return new ResourceContents.Unknown(raw);
        }
    }

    /** Returns the prompts that the server lists. */
    public List<Prompt> prompts() throws InterruptedException {
        Link now = link("prompts/list");
        List<Prompt> prompts = new ArrayList<>();
        if (now.offers("prompts")) {
            for (RawJson raw : now.list("prompts/list", "prompts", settings.listTime)) {
                Prompt prompt = Prompt.of(name, raw);
                if (prompt != null) {
                    prompts.add(prompt);
                }
            }
        }
        return prompts;
    }

    /** Fills in a prompt of the server. */
    public List<Prompt.Message> prompt(String prompt, Map<String, String> arguments) throws InterruptedException {
        RawJson result = link("prompts/get")
                .request(
                        "prompts/get",
                        out -> {
                            out.name("name");
                            out.string(prompt);
                            out.name("arguments");
                            out.beginObject();
                            arguments.forEach((key, value) -> {
                                out.name(key);
                                out.string(value);
                            });
                            out.endObject();
                        },
                        null,
                        settings.listTime,
                        settings.listTime);
        return Prompt.messages(result);
    }

    private @Nullable Link linkOrNull() {
        lock.lock();
        try {
            return link;
        } finally {
            lock.unlock();
        }
    }

    private Link link(String method) {
        lock.lock();
        try {
            if (link == null) {
                String why = failure == null || state == State.STARTING ? "it is " + state : failure.toString();
                throw new ConnectionClosedException(
                        "the MCP server " + name + " is not connected: " + why, method, null);
            }
            return link;
        } finally {
            lock.unlock();
        }
    }

    /** Returns what is wrong with the arguments of a call; empty when nothing is. */
    String problems(Tool tool, RawJson arguments) {
        ArgumentCheck check;
        lock.lock();
        try {
            check = checks.get(tool.name());
        } finally {
            lock.unlock();
        }
        return check == null ? "" : check.problems(arguments);
    }

    void begin(AgentTurn turn, ToolCallId call) {
        lock.lock();
        try {
            running.add(new Running(turn, call, Thread.currentThread()));
        } finally {
            lock.unlock();
        }
    }

    void end(ToolCallId call) {
        lock.lock();
        try {
            running.removeIf(one -> one.call().equals(call));
        } finally {
            lock.unlock();
        }
    }

    // ---- its life

    /** Waits until the server is ready or has failed, or the time is over. */
    void awaitSettled(long end) throws InterruptedException {
        lock.lock();
        try {
            while (state == State.STARTING && settings.time.nanoTime() < end) {
                settings.time.await(lock, changed, end - settings.time.nanoTime());
            }
        } finally {
            lock.unlock();
        }
    }

    /** Starts the server, and starts it again, until the session ends or it has failed for good. */
    private void run() {
        int failures = 0;
        while (true) {
            long begun = settings.time.nanoTime();
            Attempt attempt = new Attempt();
            ServerFailure why = attempt.run();
            if (why == null) {
                return;
            }
            boolean lived = attempt.wasReady && settings.time.nanoTime() - begun > settings.restartPause.toNanos() * 60;
            failures = lived ? 1 : failures + 1;
            // What never came up would not the next time either; what did is tried again.
            boolean again = (attempt.wasReady || failures > 1) && failures <= settings.restarts;
            if (!ended(why, again)) {
                return;
            }
            report(why, again);
            if (!again || !pause(settings.restartPause.multipliedBy(1L << Math.min(failures - 1, 10)))) {
                return;
            }
        }
    }

    /** The server has ended by itself. Returns false when the session has, too. */
    private boolean ended(ServerFailure why, boolean again) {
        lock.lock();
        try {
            link = null;
            if (state == State.CLOSED) {
                return false;
            }
            failure = why;
            state = again ? State.STARTING : State.FAILED;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    private boolean pause(Duration pause) {
        long end = settings.time.nanoTime() + pause.toNanos();
        lock.lock();
        try {
            while (state != State.CLOSED && settings.time.nanoTime() < end) {
                settings.time.await(lock, changed, end - settings.time.nanoTime());
            }
            return state != State.CLOSED;
        } catch (InterruptedException e) {
            return false;
        } finally {
            lock.unlock();
        }
    }

    private void report(ServerFailure why, boolean again) {
        LOG.log(System.Logger.Level.INFO, () -> "MCP server " + name + ": " + why);
        String title = "MCP server " + name + (again ? " ended and is started again" : " is not connected");
        owner.notice(session, title, why.toString());
    }

    /** One process or connection, from its start to its end. For the thread of the server. */
    private final class Attempt implements Link.Listener {
        /** The pages that the server had the user led to, and that are not completed. */
        private final Set<String> pages = ConcurrentHashMap.newKeySet();

        private String phase = "start";
        private @Nullable LaunchedProcess process;
        private @Nullable Link opened;
        boolean wasReady;

        /** Returns why the server has ended; null when it was closed. */
        @Nullable
        ServerFailure run() {
            try {
                if (settings.approval != null) {
                    settings.approval.check(session, declaration);
                }
                Link now = open();
                opened = now;
                phase = "initialize";
                now.introduce(settings.startTime);
                phase = "list tools";
                // First, so that no change is missed.
                now.subscribe();
                list(now);
                if (!ready(now)) {
                    return null;
                }
                phase = "run";
                wasReady = true;
                subscribeAgain(now);
                notifyChange();
                offerPrompts();
                now.awaitClosed();
                return failed(now.failure());
            } catch (InterruptedException e) {
                return null;
            } catch (Exception | Error e) {
                // Also when a class is missing or memory is: nobody would learn of the end of this thread.
                return failed(e);
            } finally {
                close();
            }
        }

        private Link open() throws IOException, InterruptedException {
            return switch (declaration) {
                case McpServer.Stdio stdio -> {
                    LaunchedProcess started = launch(stdio).start();
                    process = started;
                    yield Link.over(started, home(), name, settings.time, this);
                }
                case McpServer.Http http -> over(http.url(), http.headers(), false);
                case McpServer.Sse sse -> over(sse.url(), sse.headers(), true);
                case McpServer.Acp acp -> {
                    AcpTransport transport = new AcpTransport(settings.receivers, session.client(), acp.serverId());
                    yield Link.over(transport, home(), name, settings.time, this);
                }
                case McpServer.Unknown unknown -> throw new IOException("a server of this kind cannot be connected");
            };
        }

        private Link.Home home() {
            return Link.Home.of(session, settings.logLevel == null ? null : settings.logLevel.word());
        }

        private Link over(String url, List<HttpHeader> headers, boolean is2024) {
            HttpTransport http =
                    new HttpTransport(URI.create(url), headers, is2024, StreamTransport.STANDARD_MESSAGE_BYTES);
            return Link.over(http, home(), name, settings.time, this);
        }

        private Launch launch(McpServer.Stdio stdio) {
            Launch launch = Launch.of(stdio.command(), stdio.args())
                    .cwd(session.cwd())
                    .inheritNoModelKeys()
                    .endWhenKilled();
            for (EnvVariable variable : stdio.env()) {
                launch = launch.env(variable.name(), variable.value());
            }
            return launch;
        }

        private void close() {
            Link now = opened;
            if (now != null) {
                now.close();
            } else if (process != null) {
                process.close();
            }
        }

        private ServerFailure failed(@Nullable Throwable e) {
            LaunchedProcess ended = process;
            // Before it is ended here, which explains nothing.
            ExitStatus exit = ended == null ? exitOf(e) : ended.exit().orElse(null);
            close();
            String stderr = ended == null ? "" : lastLines(ended.stderr());
            String problem = redaction.redact(problem(e, exit));
            return new ServerFailure(phase, problem, exit, redaction.redact(stderr), nextStep(e));
        }

        private String problem(@Nullable Throwable e, @Nullable ExitStatus exit) {
            if (process != null && exit != null && !(e instanceof RpcError)) {
                return "its process ended with " + exit;
            }
            return switch (e) {
                case null -> "the server closed the connection";
                case Link.Silence late -> late.message();
                case RpcError refused -> "the server refused: " + refused.message();
                default -> Objects.toString(e.getMessage(), e.getClass().getSimpleName());
            };
        }

        private String nextStep(@Nullable Throwable e) {
            boolean isStdio = declaration instanceof McpServer.Stdio;
            if (e instanceof Link.Silence) {
                return "If it only needs longer, raise the time to start; else check that it is an MCP server.";
            }
            return isStdio
                    ? "Run its command by hand in " + session.cwd() + " to see what it needs."
                    : "Check the address and the headers of its declaration.";
        }

        // ---- what the server reports

        @Override
        public void changed(String list) {
            if (list.equals("tools")) {
                lock.lock();
                try {
                    isStale = true;
                    listAgainAt = settings.time.nanoTime();
                } finally {
                    lock.unlock();
                }
                notifyChange();
            } else if (list.equals("prompts")) {
                offerPrompts();
            }
        }

        @Override
        public void logged(Members params) {
            LogMessage message = LogMessage.of(params, redaction);
            BiConsumer<? super ConnectedServer, ? super LogMessage> onLog = settings.onLog;
            if (onLog != null && settings.logLevel != null && message.level().compareTo(settings.logLevel) >= 0) {
                call("onLog", taken -> onLog.accept(ConnectedServer.this, taken), message);
            }
        }

        @Override
        public void updated(String uri) {
            for (Subscription subscription : subscriptions) {
                if (Link.isPart(uri, subscription.uri)) {
                    call("onUpdate", subscription.onUpdate, uri);
                }
            }
        }

        /** Returns the call that the question on this thread belongs to, if it belongs to one. */
        private @Nullable Running asking() {
            boolean isKnown = opened != null && opened.isModern();
            Thread thread = Thread.currentThread();
            lock.lock();
            try {
                return running.reversed().stream()
                        .filter(one -> !isKnown || one.thread().equals(thread))
                        .findFirst()
                        .orElse(null);
            } finally {
                lock.unlock();
            }
        }

        @Override
        public void completed(String elicitation) {
            if (!pages.remove(elicitation)) {
                return;
            }
            var done = CompleteElicitationNotification.of(ElicitationId.of(elicitation));
            for (ConnectedClient client : session.clients()) {
                try {
                    if (client.supports(Feature.PAGES)) {
                        // It knows which pages it was asked to show.
                        client.send(ClientMethods.COMPLETE_ELICITATION, done);
                    }
                } catch (RpcException e) {
                    // It has left.
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }

        @Override
        public RawJson asked(Members question) throws InterruptedException {
            String page = question.text("elicitationId");
            if (page != null) {
                pages.add(page);
            }
            Running call = asking();
            SessionWriter writer = call == null ? session : call.turn();
            return Questions.ask(name, writer, call == null ? null : call.call(), question);
        }
    }

    private static @Nullable ExitStatus exitOf(@Nullable Throwable e) {
        return e instanceof LaunchException launch ? launch.exit().orElse(null) : null;
    }

    private static String lastLines(String text) {
        List<String> lines = text.strip().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - MOST_STDERR_LINES), lines.size()));
    }

    private void notifyChange() {
        if (settings.onChange != null) {
            call("onChange", settings.onChange, this);
        }
    }

    /** Calls code of the agent, whose failure is none of the server. */
    private <T> void call(String listener, Consumer<? super T> code, T value) {
        try {
            code.accept(value);
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.WARNING, listener + " of the MCP server " + name + " has failed", e);
        }
    }

    /** Offers the prompts of the server as commands, without waiting until it has listed them. */
    void offerPrompts() {
        if (unoffered.getAndIncrement() == 0) {
            Thread.ofPlatform().daemon().name("acp4j-mcp-prompts").start(() -> {
                int offered;
                do {
                    offered = unoffered.get();
                    offer();
                } while (!unoffered.compareAndSet(offered, 0));
            });
        }
    }

    /** Offers the prompts of the server as commands, if the agent does. */
    private void offer() {
        try {
            owner.offer(this);
        } catch (RpcException e) {
            if (state() == State.READY) {
                owner.notice(
                        session, "MCP server " + name + " does not list its prompts", redaction.redact(e.toString()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (IllegalStateException e) {
            // The session has ended meanwhile.
        }
    }

    private boolean ready(Link now) {
        lock.lock();
        try {
            if (state == State.CLOSED) {
                return false;
            }
            link = now;
            state = State.READY;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    // ---- its tools

    /** Lists the tools again if the server has reported a change. Keeps those that are known when that fails. */
    void refresh() throws InterruptedException {
        Link now;
        lock.lock();
        try {
            now = isStale && settings.time.nanoTime() - listAgainAt >= 0 ? link : null;
        } finally {
            lock.unlock();
        }
        if (now != null) {
            try {
                list(now);
            } catch (RpcException e) {
                owner.notice(
                        session, "MCP server " + name + " does not list its tools", redaction.redact(e.toString()));
            }
        }
    }

    /** Lists the tools. What was listed before remains when that fails, to be listed by the next turn. */
    private void list(Link from) throws InterruptedException {
        lock.lock();
        try {
            // Before it is asked, so that no change meanwhile is missed.
            isStale = false;
        } finally {
            lock.unlock();
        }
        boolean isListed = false;
        Duration pause = Duration.ZERO;
        try {
            takeAll(from);
            isListed = true;
        } catch (Link.Silence e) {
            pause = settings.restartPause;
            throw e;
        } finally {
            lock.lock();
            try {
                long now = settings.time.nanoTime();
                isStale |= !isListed;
                listAgainAt = pause.isZero() ? now : now + listing.next(pause, 0);
            } finally {
                lock.unlock();
            }
        }
    }

    private void takeAll(Link from) throws InterruptedException {
        Map<String, Tool> listed = new LinkedHashMap<>();
        Map<String, ArgumentCheck> compiled = new HashMap<>();
        List<String> left = new ArrayList<>();
        if (from.offers("tools")) {
            for (RawJson raw : from.list("tools/list", "tools", settings.listTime)) {
                Tool tool = Tool.of(name, raw);
                String why = tool == null ? "it has no name or no schema" : take(tool, listed, compiled);
                if (!why.isEmpty()) {
                    left.add((tool == null ? "(unnamed)" : tool.name()) + ": " + why);
                }
            }
        }
        boolean isNews;
        lock.lock();
        try {
            tools = listed;
            checks = compiled;
            isNews = !left.equals(leftOut);
            leftOut = left;
        } finally {
            lock.unlock();
        }
        if (isNews && !left.isEmpty()) {
            owner.notice(session, "MCP server " + name + ": tools were left out", String.join("\n", left));
        }
    }

    /** Adds a tool. Returns why it cannot be used, or nothing. */
    private static String take(Tool tool, Map<String, Tool> listed, Map<String, ArgumentCheck> compiled) {
        if (listed.containsKey(tool.name())) {
            return "its name is used twice";
        }
        try {
            String headers = ParameterHeaders.problem(tool.inputSchema());
            if (headers.isEmpty()) {
                compiled.put(tool.name(), ArgumentCheck.of(tool.inputSchema()));
                listed.put(tool.name(), tool);
            }
            return headers;
        } catch (IllegalArgumentException e) {
            return Objects.toString(e.getMessage(), "its schema is not usable");
        }
    }
}
