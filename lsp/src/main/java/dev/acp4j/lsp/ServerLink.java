package dev.acp4j.lsp;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.Limits;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.RpcException;
import dev.acp4j.rpc.Time;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a server that runs: what it is asked and told, and what it says by itself. Its own requests are
 * answered at once, and none of them changes anything here: an edit is refused, a question gets no answer.
 *
 * <p>The lock guards what the server has said; nothing is sent while it is held, nor waited for but that.
 */
final class ServerLink implements Handler {
    /** The text has changed while the server was answering. */
    static final int CONTENT_MODIFIED = -32801;

    /** The server wants to be asked again. */
    static final int SERVER_CANCELLED = -32802;

    static final int MESSAGE_BYTES = 16 * 1024 * 1024;

    private static final Duration GOODBYE_TIME = Duration.ofSeconds(1);
    private static final String UTF_16 = "utf-16";

    private final LanguageServer server;
    private final List<Path> folders;
    private final Time time;
    private final LaunchedProcess process;
    private final Connection connection;
    private final PublishedDiagnostics published;
    private final Watchers watchers;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();

    /** What the server is busy with, by its token. */
    @GuardedBy("lock")
    private final Map<String, String> progress = new LinkedHashMap<>();

    @GuardedBy("lock")
    private boolean ended;

    private volatile RawJson capabilities = RawJson.EMPTY_OBJECT;

    ServerLink(LanguageServer server, List<Path> folders, Time time, LaunchedProcess process) {
        this.server = server;
        this.folders = folders;
        this.time = time;
        this.process = process;
        this.published = new PublishedDiagnostics(time);
        this.watchers = new Watchers(folders);
        this.connection = Connection.builder(process.transport(), this)
                .name("lsp-" + server.language())
                .limits(Limits.STANDARD.withMessageBytes(MESSAGE_BYTES).withRequestTimeout(Duration.ZERO))
                .answerNoise(false)
                .onProblem(problem -> {
                    // What matters of it is missing in an answer, and said there.
                })
                .start();
    }

    PublishedDiagnostics published() {
        return published;
    }

    Watchers watchers() {
        return watchers;
    }

    void awaitClosed() throws InterruptedException {
        connection.awaitClosed();
    }

    // ---- opening and closing

    void initialize(Duration limit) throws InterruptedException, IOException {
        RawJson answer = connection
                .start("initialize", initialization(), RawJson.CODEC, null)
                .await(limit);
        capabilities = answer.decode(LspInitializedCodec.INSTANCE, "result").capabilities();
        String encoding = Lsp.text(capabilities, "positionEncoding");
        if (encoding != null && !encoding.equals(UTF_16)) {
            throw new IOException("it counts columns in " + encoding + ", and only " + UTF_16 + " was offered");
        }
        connection.send("initialized", RawJson.EMPTY_OBJECT);
        if (!server.settings().equals(RawJson.EMPTY_OBJECT)) {
            connection.send("workspace/didChangeConfiguration", Lsp.object(out -> {
                out.name("settings");
                out.raw(server.settings());
            }));
        }
    }

    private RawJson initialization() {
        Path root = folders.get(0);
        return Lsp.object(out -> {
            out.name("processId");
            out.int64(ProcessHandle.current().pid());
            out.name("clientInfo");
            out.raw(RawJson.parse("{\"name\":\"acp4j\",\"version\":\"0.1.0\"}"));
            out.name("rootPath");
            out.string(root.toString());
            out.name("rootUri");
            out.string(Lsp.uri(root));
            out.name("workspaceFolders");
            out.raw(workspaceFolders());
            if (!server.initializationOptions().equals(RawJson.NULL)) {
                out.name("initializationOptions");
                out.raw(server.initializationOptions());
            }
            out.name("capabilities");
            out.raw(RawJson.parse(OFFERED));
        });
    }

    private static final String OFFERED = """
            {"general": {"positionEncodings": ["utf-16"]},
             "workspace": {"applyEdit": false, "workspaceFolders": true, "configuration": true, "symbol": {},
              "didChangeConfiguration": {},
              "didChangeWatchedFiles": {"dynamicRegistration": true, "relativePatternSupport": true},
              "diagnostics": {"refreshSupport": false}},
             "textDocument": {
              "synchronization": {"didSave": true},
              "publishDiagnostics": {"versionSupport": true},
              "diagnostic": {},
              "definition": {"linkSupport": true},
              "references": {},
              "documentSymbol": {"hierarchicalDocumentSymbolSupport": true}},
             "window": {"workDoneProgress": true}}""";

    private RawJson workspaceFolders() {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        for (Path folder : folders) {
            out.raw(Lsp.object(members -> {
                members.name("uri");
                members.string(Lsp.uri(folder));
                members.name("name");
                members.string(String.valueOf(folder.getFileName()));
            }));
        }
        out.endArray();
        return out.toRawJson();
    }

    /** Asks the server to end, and ends it. */
    void close() {
        try {
            if (connection.isOpen()) {
                RawJson unused =
                        connection.start("shutdown", null, RawJson.CODEC, null).await(GOODBYE_TIME);
                connection.send("exit", null);
            }
        } catch (RpcException e) {
            // It is ended all the same.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            connection.close();
            process.close();
        }
    }

    // ---- what it can do

    /** Whether the server answers a request, by the name of its capability. */
    boolean offers(String capability) {
        RawJson offered = capability(capability);
        return offered != null && !offered.toString().equals("false");
    }

    @Nullable
    RawJson capability(String name) {
        return Lsp.member(capabilities, name);
    }

    /** Whether the server wants to be told of the texts at all; those that do not are sent them anew. */
    boolean takesChanges() {
        RawJson sync = Lsp.member(capabilities, "textDocumentSync");
        RawJson change =
                sync != null && sync.reader().kind() == JsonReader.Kind.OBJECT ? Lsp.member(sync, "change") : sync;
        return change != null && !change.toString().equals("0");
    }

    /** Whether the server wants to hear that a file was saved. */
    boolean wantsSaves() {
        RawJson save = Lsp.member(Lsp.member(capabilities, "textDocumentSync"), "save");
        return save != null && !save.toString().equals("false");
    }

    // ---- asking and telling

    /**
     * Asks the server.
     *
     * @param end when the time is over, in nanoseconds
     * @throws RpcException when it refuses, has ended, or does not answer in time
     */
    RawJson request(String method, RawJson params, long end) throws InterruptedException {
        Duration left = Duration.ofNanos(Math.max(1, end - time.nanoTime()));
        return connection.start(method, params, RawJson.CODEC, null).await(left);
    }

    void send(String method, Consumer<JsonWriter> members) throws InterruptedException {
        connection.send(method, Lsp.object(members));
    }

    // ---- what it says

    @Override
    public @Nullable Acceptance request(IncomingRequest request) {
        RawJson params = request.params();
        request.answer(
                switch (request.method()) {
                    case "workspace/configuration" -> configuration(params);
                    case "workspace/workspaceFolders" -> workspaceFolders();
                    // Nobody has asked for an edit, and no command is ever run that would need one.
                    case "workspace/applyEdit" ->
                        RawJson.parse("{\"applied\":false,\"failureReason\":\"edits are not applied here\"}");
                    case "window/showDocument" -> RawJson.parse("{\"success\":false}");
                    case "client/registerCapability" -> {
                        watchers.register(params);
                        yield RawJson.NULL;
                    }
                    case "client/unregisterCapability" -> {
                        watchers.unregister(params);
                        yield RawJson.NULL;
                    }
                    // No answer of a message's buttons is chosen.
                    case "window/workDoneProgress/create", "window/showMessageRequest" -> RawJson.NULL;
                    default -> throw RpcError.methodNotFound(request.method());
                });
        return null;
    }

    private RawJson configuration(@Nullable RawJson params) {
        JsonWriter out = new JsonWriter();
        out.beginArray();
        RawJson items = Lsp.member(params, "items");
        if (items != null && items.reader().kind() == JsonReader.Kind.ARRAY) {
            JsonReader in = items.reader();
            in.beginArray();
            while (in.nextElement()) {
                out.raw(section(Lsp.text(in.raw(), "section")));
            }
        }
        out.endArray();
        return out.toRawJson();
    }

    private RawJson section(@Nullable String name) {
        RawJson found = server.settings();
        if (name != null && !name.isEmpty()) {
            for (String member : name.split("\\.", -1)) {
                found = Lsp.member(found, member);
            }
        }
        return found == null ? RawJson.NULL : found;
    }

    @Override
    public @Nullable Delivery notification(Message message) {
        RawJson params = message.params();
        if (params != null && message.method().equals("textDocument/publishDiagnostics")) {
            published.add(params.decode(LspPublishedCodec.INSTANCE, "params"), message.length());
        } else if (params != null && message.method().equals("$/progress")) {
            progressed(String.valueOf(Lsp.member(params, "token")), Lsp.member(params, "value"));
        }
        return null;
    }

    private void progressed(String token, @Nullable RawJson value) {
        String kind = Lsp.text(value, "kind");
        lock.lock();
        try {
            if ("begin".equals(kind)) {
                String title = Lsp.text(value, "title");
                progress.put(token, title == null ? "working" : title);
            } else if ("end".equals(kind)) {
                progress.remove(token);
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ending() {
        published.end();
        lock.lock();
        try {
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Waits until the server is busy with nothing, such as reading the project, or the time is over.
     *
     * @return what it is still busy with
     */
    List<String> awaitIdle(long end) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!progress.isEmpty() && !ended && time.nanoTime() < end) {
                time.await(lock, changed, end - time.nanoTime());
            }
            return new ArrayList<>(progress.values());
        } finally {
            lock.unlock();
        }
    }
}
