package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ProxySession;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Hop;
import dev.acp4j.proxy.Neighbour;
import dev.acp4j.proxy.NotificationHop;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.proxy.RequestHop;
import dev.acp4j.proxy.SessionState;
import dev.acp4j.rpc.Time;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.SessionId;
import dev.acp4j.schema.Unstable;
import dev.acp4j.schema.WriteTextFileRequest;
import dev.acp4j.schema.WriteTextFileResponse;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives agents what language servers know of the code in a session's folders, as an MCP server {@code lsp} with the
 * tools {@code diagnostics}, {@code definition}, {@code references} and {@code symbols}.
 *
 * <pre>{@code
 * try (LanguageTools tools = LanguageTools.of(LanguageServer.of("python", Launch.of("pylsp")))) {
 *     Conductor.builder().proxy(tools.proxy()).agent(launch).build().serve(Stdio.system());
 * }
 * }</pre>
 *
 * <p>A server is started when it is first asked, in the session's folder, and ends with the last session of the same
 * folders. Before each answer it learns what has changed: files on disk are read again, and writes that pass the proxy
 * ({@code fs/write_text_file}, diffs of tool calls) are known even if the client has not saved them. An answer that may
 * be from before the last write says so. Nothing is changed: edits of servers are refused, and commands of theirs are
 * not run.
 *
 * <p>It must run on the machine that has the files. Thread-safe.
 */
@Unstable
public final class LanguageTools implements AutoCloseable {
    private static final Set<String> SETUPS = Set.of("session/new", "session/load", "session/resume", "session/fork");
    private static final int MOST_SERVERS = 8;

    /** What all parts go by. */
    record Settings(
            Time time,
            Duration startTime,
            Duration answerTime,
            Duration quiet,
            int mostServers,
            Semaphore places,
            Consumer<String> onNotice) {}

    /** A session of a client. */
    private record Key(Neighbour client, SessionId session) {}

    /** A workspace, and how many sessions have it. */
    private static final class Shared {
        final Workspace workspace;
        int sessions;

        Shared(Workspace workspace) {
            this.workspace = workspace;
        }
    }

    private final List<LanguageServer> servers;
    private final List<Path> below;
    private final Settings settings;
    private final SessionState<Key> state =
            SessionState.of(opening -> new Key(opening.client(), opening.session()), this::ended);

    /** Guards which sessions are open. Nothing is started or ended while it is held. */
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<List<Path>, Shared> workspaces = new HashMap<>();

    @GuardedBy("lock")
    private final Map<Key, List<Path>> sessions = new HashMap<>();

    /** The workspaces that are ended, until that is done. */
    @GuardedBy("lock")
    private final Set<Workspace> ending = new HashSet<>();

    @GuardedBy("lock")
    private boolean closed;

    private final AtomicBoolean isSaid = new AtomicBoolean();

    private LanguageTools(Builder builder) {
        servers = List.copyOf(builder.servers);
        below = builder.below;
        settings = new Settings(
                builder.time,
                builder.startTime,
                builder.answerTime,
                builder.quiet,
                builder.mostServers,
                new Semaphore(builder.mostServers),
                builder.onNotice);
    }

    /** Returns the tools of these servers, one for a language each. */
    public static LanguageTools of(LanguageServer... servers) {
        Builder builder = builder();
        for (LanguageServer server : servers) {
            builder.server(server);
        }
        return builder.build();
    }

    /** Begins with no server. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the proxy. */
    public Proxy proxy() {
        Proxy.Builder proxy = Proxy.builder("lsp", "1")
                .state(state)
                .onRequests(Method.Side.AGENT, SETUPS::contains, this::open)
                .onRequest(ClientMethods.WRITE_TEXT_FILE, this::write)
                .onNotifications(Method.Side.CLIENT, "session/update"::equals, this::update);
        ToolServer tools = new CodeTools(this::workspace, settings).server();
        return ToolServer.addTo(proxy, session -> offered(session, tools)).build();
    }

    private List<ToolServer> offered(ProxySession session, ToolServer tools) {
        if (session.connectsServers()) {
            return List.of(tools);
        }
        if (isSaid.compareAndSet(false, true)) {
            settings.onNotice()
                    .accept("This agent connects to no MCP servers, so it gets no tools of language servers.");
        }
        return List.of();
    }

    /** Ends all servers and waits for that, for some seconds at most. Tools answer no more. */
    @Override
    public void close() {
        List<Workspace> all = new ArrayList<>();
        lock.lock();
        try {
            workspaces.values().forEach(shared -> all.add(shared.workspace));
            all.addAll(ending);
            workspaces.clear();
            sessions.clear();
            closed = true;
        } finally {
            lock.unlock();
        }
        all.forEach(Workspace::beginClose);
        all.forEach(Workspace::awaitEnd);
    }

    // ---- sessions

    /** Returns the folders of a session in the form by which they are found. */
    static List<Path> folders(Path cwd, List<Path> more) {
        List<Path> all = new ArrayList<>();
        all.add(cwd);
        all.addAll(more);
        return all;
    }

    private @Nullable Workspace workspace(List<Path> folders) {
        lock.lock();
        try {
            Shared shared = workspaces.get(folders);
            return shared == null ? null : shared.workspace;
        } finally {
            lock.unlock();
        }
    }

    private Answer<RawJson> open(RawJson params, RequestHop<RawJson, RawJson> hop) throws Exception {
        List<Path> folders = folders(params);
        boolean isTaken = take(folders);
        boolean isOpened = false;
        try {
            Answer<RawJson> answer = hop.forward();
            if (isTaken && !answer.isError()) {
                String id = Lsp.text(answer.result(), "sessionId");
                id = id == null ? Objects.requireNonNullElse(Lsp.text(params, "sessionId"), "") : id;
                isOpened = true;
                release(put(new Key(hop.client(), SessionId.of(id)), folders));
            }
            return answer;
        } finally {
            if (isTaken && !isOpened) {
                release(folders);
            }
        }
    }

    /** Returns the folders of a setup; none if they are not of this machine. */
    private static List<Path> folders(RawJson setup) {
        String cwd = Lsp.text(setup, "cwd");
        RawJson more = Lsp.member(setup, "additionalDirectories");
        List<Path> others = new ArrayList<>();
        try {
            if (more != null && more.reader().kind() == JsonReader.Kind.ARRAY) {
                JsonReader in = more.reader();
                in.beginArray();
                while (in.nextElement()) {
                    others.add(Path.of(in.string()));
                }
            }
            return cwd == null ? List.of() : folders(Path.of(cwd), others);
        } catch (InvalidPathException e) {
            return List.of();
        }
    }

    private boolean take(List<Path> folders) {
        if (folders.isEmpty() || !isBelow(folders.get(0))) {
            return false;
        }
        lock.lock();
        try {
            if (closed) {
                return false;
            }
            Shared shared = workspaces.get(folders);
            if (shared == null) {
                shared = new Shared(new Workspace(folders, servers, settings));
                workspaces.put(folders, shared);
            }
            shared.sessions++;
            return true;
        } catch (IOException e) {
            settings.onNotice()
                    .accept("There are no language servers for " + folders.get(0)
                            + ": the folder of the session, or one beside it, does not exist on this machine.");
            return false;
        } finally {
            lock.unlock();
        }
    }

    /** Whether servers may be started in a folder: by where it really is, so that no link leads to another one. */
    private boolean isBelow(Path cwd) {
        if (below.isEmpty()) {
            return true;
        }
        try {
            Path real = cwd.toRealPath();
            for (Path folder : below) {
                if (Files.isDirectory(folder) && real.startsWith(folder.toRealPath())) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false;
        }
    }

    private List<Path> put(Key session, List<Path> folders) {
        lock.lock();
        try {
            return Objects.requireNonNullElse(sessions.put(session, folders), List.of());
        } finally {
            lock.unlock();
        }
    }

    private void release(List<Path> folders) {
        Workspace last = null;
        lock.lock();
        try {
            Shared shared = workspaces.get(folders);
            if (shared != null) {
                shared.sessions--;
                if (shared.sessions == 0) {
                    workspaces.remove(folders);
                    last = shared.workspace;
                    ending.add(last);
                }
            }
        } finally {
            lock.unlock();
        }
        if (last != null) {
            end(last);
        }
    }

    private void end(Workspace last) {
        last.beginClose();
        Thread.ofPlatform().daemon().name("acp4j-lsp-end").start(() -> {
            last.awaitEnd();
            lock.lock();
            try {
                ending.remove(last);
            } finally {
                lock.unlock();
            }
        });
    }

    private void ended(Key session) {
        List<Path> folders;
        lock.lock();
        try {
            folders = sessions.remove(session);
        } finally {
            lock.unlock();
        }
        if (folders != null) {
            release(folders);
        }
    }

    private @Nullable Contents contents(Hop hop) {
        lock.lock();
        try {
            List<Path> folders = sessions.get(hop.state(state));
            Shared shared = folders == null ? null : workspaces.get(folders);
            return shared == null ? null : shared.workspace.contents();
        } finally {
            lock.unlock();
        }
    }

    // ---- writes

    private Answer<WriteTextFileResponse> write(
            WriteTextFileRequest request, RequestHop<WriteTextFileRequest, WriteTextFileResponse> hop)
            throws Exception {
        Contents contents = contents(hop);
        Contents.Write write = contents == null ? null : contents.begin(request.path());
        if (contents == null || write == null) {
            return hop.forward();
        }
        String written = null;
        try {
            Answer<WriteTextFileResponse> answer = hop.forward();
            written = answer.isError() ? null : request.content();
            return answer;
        } finally {
            contents.end(write, written);
        }
    }

    /** Takes note of the files whose diffs a tool call shows. */
    private void update(RawJson params, NotificationHop<RawJson> hop) throws InterruptedException {
        hop.forward();
        RawJson update = Lsp.member(params, "update");
        String kind = Lsp.text(update, "sessionUpdate");
        if (kind == null || !kind.startsWith("tool_call")) {
            return;
        }
        Contents contents = contents(hop);
        RawJson content = Lsp.member(update, "content");
        if (contents != null && content != null && content.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = content.reader();
            in.beginArray();
            while (in.nextElement()) {
                reported(in.raw(), contents);
            }
        }
    }

    private static void reported(RawJson content, Contents contents) {
        if (!"diff".equals(Lsp.text(content, "type"))) {
            return;
        }
        String path = Lsp.text(content, "path");
        if (path != null) {
            contents.reported(path);
        }
        // In version 2 a diff has several files.
        RawJson changes = Lsp.member(content, "changes");
        if (changes != null && changes.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = changes.reader();
            in.beginArray();
            while (in.nextElement()) {
                String changed = Lsp.text(in.raw(), "path");
                if (changed != null) {
                    contents.reported(changed);
                }
            }
        }
    }

    /** Builds {@link LanguageTools}. */
    public static final class Builder {
        private final List<LanguageServer> servers = new ArrayList<>();
        private List<Path> below = List.of();
        private Duration startTime = Duration.ofMinutes(2);
        private Duration answerTime = Duration.ofSeconds(30);
        private Duration quiet = Duration.ofSeconds(1);
        private int mostServers = MOST_SERVERS;
        private Time time = Time.SYSTEM;
        private Consumer<String> onNotice =
                sentence -> System.getLogger("dev.acp4j.lsp").log(Level.INFO, sentence);

        private Builder() {}

        /** Adds a server. Of several for one file the first is asked. */
        public Builder server(LanguageServer server) {
            servers.add(Objects.requireNonNull(server));
            return this;
        }

        /**
         * Starts servers only for sessions in these folders and below them; by default for all. A language server may
         * run code of the project.
         *
         * @throws IllegalArgumentException when one is not absolute
         */
        public Builder in(Path... folders) {
            for (Path folder : folders) {
                if (!folder.isAbsolute()) {
                    throw new IllegalArgumentException("expected an absolute folder, got " + folder);
                }
            }
            below = List.of(folders).stream().map(Path::normalize).toList();
            return this;
        }

        /** Sets how long a server may take to be initialized; 2 minutes by default. */
        public Builder startTime(Duration value) {
            startTime = positive(value);
            return this;
        }

        /**
         * Sets how long an answer may take in all; 30 seconds by default, which many agents allow a tool. When the time
         * is over the answer says what is missing, and a server that is starting goes on doing so.
         */
        public Builder answerTime(Duration value) {
            answerTime = positive(value);
            return this;
        }

        /**
         * Sets how long nothing more must come, before diagnostics count as complete that a server sends by itself
         * without naming the version of the text; 1 second by default.
         */
        public Builder quiet(Duration value) {
            quiet = positive(value);
            return this;
        }

        private static Duration positive(Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException("expected more than no time, got " + value);
            }
            return value;
        }

        /**
         * Sets how many servers may run at the same time, of all sessions; 8 by default.
         *
         * @throws IllegalArgumentException when it is less than 1
         */
        public Builder mostServers(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("expected at least one server, got " + value);
            }
            mostServers = value;
            return this;
        }

        /** Takes what a user should know, such as a server that cannot be started; logged by default. */
        public Builder onNotice(Consumer<String> listener) {
            onNotice = Objects.requireNonNull(listener);
            return this;
        }

        /** Sets another clock, for tests. */
        Builder time(Time value) {
            time = value;
            return this;
        }

        /**
         * Builds the tools. Nothing is started yet.
         *
         * @throws IllegalArgumentException without a server
         */
        public LanguageTools build() {
            if (servers.isEmpty()) {
                throw new IllegalArgumentException("expected at least one language server");
            }
            return new LanguageTools(this);
        }
    }
}
