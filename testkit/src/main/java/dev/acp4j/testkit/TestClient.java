package dev.acp4j.testkit;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ElicitationQuestion;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.CreateElicitationResponse;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.PermissionOption;
import dev.acp4j.schema.PermissionOptionKind;
import dev.acp4j.schema.ReadTextFileRequest;
import dev.acp4j.schema.RequestPermissionOutcome;
import dev.acp4j.schema.WriteTextFileRequest;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * A client that answers what an agent asks as the test says, the same way each time, and remembers all of it: the
 * counterpart of {@link TestAgent}. It offers everything that a client can offer, and answers the extension
 * {@code _test/echo} with its params; its files are in memory, its commands never run.
 *
 * <pre>{@code
 * TestClient client = TestClient.create()
 *     .file(Path.of("/home/notes.txt"), "buy milk")
 *     .decide(PermissionOptionKind.REJECT_ONCE)
 *     .command("make test", "3 passed\n", 0);
 * ConnectedAgent agent = client.builder().connect(Launch.of("my-agent"));
 * }</pre>
 *
 * <p>May be used by several threads, also while a turn runs.
 */
public final class TestClient {
    private final TestTerminals terminals = new TestTerminals();
    private final Map<Path, String> files = new ConcurrentHashMap<>();
    private final Queue<PermissionOptionKind> decisions = new ConcurrentLinkedQueue<>();
    private final Queue<Map<String, ElicitationContentValue>> forms = new ConcurrentLinkedQueue<>();
    private final List<PermissionQuestion> permissions = new CopyOnWriteArrayList<>();
    private final List<ElicitationQuestion> elicitations = new CopyOnWriteArrayList<>();
    private final Queue<SessionEvent> events = new ConcurrentLinkedQueue<>();
    private final List<Problem> problems = new CopyOnWriteArrayList<>();

    private TestClient() {}

    /** Returns a client without files, which allows everything once and declines every form. */
    public static TestClient create() {
        return new TestClient();
    }

    /** Puts a file there, or replaces it. */
    public TestClient file(Path path, String text) {
        files.put(path, text);
        return this;
    }

    /**
     * Says how the next questions for permission are answered, one each: with the first option of that kind, or as
     * cancelled if there is none. When they are used up, everything is allowed once.
     */
    public TestClient decide(PermissionOptionKind... kinds) {
        decisions.addAll(List.of(kinds));
        return this;
    }

    /** Says what is filled into the next form. When all are used up, forms are declined. */
    public TestClient fill(Map<String, ElicitationContentValue> content) {
        forms.add(Map.copyOf(content));
        return this;
    }

    /**
     * Says what a command prints and how it ends, whenever it is started. A command that nobody spoke of is not found:
     * it ends with exit code 127.
     *
     * @param line the command and its arguments, with a space between
     */
    public TestClient command(String line, String output, int exitCode) {
        terminals.script(line, output, exitCode);
        return this;
    }

    /** Says what a command prints that then runs until it is killed. */
    public TestClient endlessCommand(String line, String output) {
        terminals.script(line, output, null);
        return this;
    }

    /** Returns a builder of the client, to connect it or to change it for a test. */
    public Client.Builder builder() {
        return Client.builder("acp4j-test-client", "1")
                .title("Test client")
                .terminalAuthentication(true)
                .onPermission(this::decide)
                .onElicitation(this::elicit)
                .onReadTextFile(this::read)
                .onWriteTextFile(this::write)
                .terminals(terminals)
                .on("_test/echo", (agent, params) -> params)
                .onNotification("_test/note", (agent, params) -> {})
                .onEvent((session, event) -> events.add(event))
                .onProblem(problems::add);
    }

    /** Builds the client and connects it to an agent. */
    public ConnectedAgent connect(Transport transport) throws InterruptedException {
        return builder().connect(transport);
    }

    /** Returns what a file holds now. */
    public Optional<String> text(Path path) {
        return Optional.ofNullable(files.get(path));
    }

    /** Returns the questions for permission so far, in order. */
    public List<PermissionQuestion> permissions() {
        return List.copyOf(permissions);
    }

    /** Returns the questions for input so far, in order. */
    public List<ElicitationQuestion> elicitations() {
        return List.copyOf(elicitations);
    }

    /** Returns what happened in all sessions so far, in order. */
    public List<SessionEvent> events() {
        return List.copyOf(events);
    }

    /** Returns what the agent did wrong so far. What it did just now may not be told yet. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** Returns the commands that were started so far, with their arguments, in order. */
    public List<String> commands() {
        return terminals.started();
    }

    /** Returns how many terminals have not been released. An agent may release one after its turn has ended. */
    public int openTerminals() {
        return terminals.open();
    }

    /** Waits until all terminals have been released. */
    public void awaitTerminalsReleased() throws InterruptedException {
        terminals.awaitNoneOpen();
    }

    private RequestPermissionOutcome decide(PermissionQuestion request) {
        permissions.add(request);
        @Nullable PermissionOptionKind said = decisions.poll();
        PermissionOptionKind kind = said == null ? PermissionOptionKind.ALLOW_ONCE : said;
        Optional<PermissionOption> option = request.option(kind);
        return option.isPresent() ? request.choose(option.get()) : request.cancelled();
    }

    private CreateElicitationResponse elicit(ElicitationQuestion request) {
        elicitations.add(request);
        @Nullable Map<String, ElicitationContentValue> content = forms.poll();
        return content == null ? request.decline() : request.accept(content);
    }

    private String read(Session session, ReadTextFileRequest request) {
        String text = text(path(request.path()))
                .orElseThrow(() -> RpcError.resourceNotFound(request.path() + " does not exist"));
        @Nullable Long line = request.line();
        @Nullable Long limit = request.limit();
        if (line == null && limit == null) {
            return text;
        }
        // Each with its own end, which the last one need not have.
        List<String> lines = List.of(text.split("(?<=\n)"));
        int from = (int) Math.min(lines.size(), Math.max(0, (line == null ? 1 : line) - 1));
        int to = limit == null ? lines.size() : (int) Math.min(lines.size(), from + limit);
        return String.join("", lines.subList(from, to));
    }

    private void write(Session session, WriteTextFileRequest request) {
        file(path(request.path()), request.content());
    }

    private static Path path(String text) {
        try {
            return Path.of(text);
        } catch (InvalidPathException e) {
            throw RpcError.invalidParams("params.path: not a path: " + e.getReason());
        }
    }
}
