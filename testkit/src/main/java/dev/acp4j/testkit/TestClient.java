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
 * A deterministic client that answers the requests of an agent as scripted by the test, and records them: the
 * counterpart of {@link TestAgent}. It offers everything that a client can offer, and answers the extension
 * {@code _test/echo} with its params; its files are in memory, its commands are never run.
 *
 * <pre>{@code
 * TestClient client = TestClient.create()
 *     .file(Path.of("/home/notes.txt"), "buy milk")
 *     .decide(PermissionOptionKind.REJECT_ONCE)
 *     .command("make test", "3 passed\n", 0);
 * ConnectedAgent agent = client.builder().connect(Launch.of("my-agent"));
 * }</pre>
 *
 * <p>Thread-safe, also while a turn runs.
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

    /** Creates or replaces a file. */
    public TestClient file(Path path, String text) {
        files.put(path, text);
        return this;
    }

    /**
     * Sets the answers to the next permission requests, one each: the first option of that kind, or cancelled if there
     * is none. After the last one, everything is allowed once.
     */
    public TestClient decide(PermissionOptionKind... kinds) {
        decisions.addAll(List.of(kinds));
        return this;
    }

    /** Sets the content for the next form. After the last one, forms are declined. */
    public TestClient fill(Map<String, ElicitationContentValue> content) {
        forms.add(Map.copyOf(content));
        return this;
    }

    /**
     * Sets the output and exit code of a command. An unknown command ends with exit code 127.
     *
     * @param line the command and its arguments, with a space between
     */
    public TestClient command(String line, String output, int exitCode) {
        terminals.script(line, output, exitCode);
        return this;
    }

    /** Sets the output of a command that then runs until it is killed. */
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

    /** Returns the current content of a file. */
    public Optional<String> text(Path path) {
        return Optional.ofNullable(files.get(path));
    }

    /** Returns the permission requests so far, in order. */
    public List<PermissionQuestion> permissions() {
        return List.copyOf(permissions);
    }

    /** Returns the requests for input so far, in order. */
    public List<ElicitationQuestion> elicitations() {
        return List.copyOf(elicitations);
    }

    /** Returns the events of all sessions so far, in order. */
    public List<SessionEvent> events() {
        return List.copyOf(events);
    }

    /** Returns the problems of the agent so far. The latest ones may not be reported yet. */
    public List<Problem> problems() {
        return List.copyOf(problems);
    }

    /** Returns the commands that were started so far, with their arguments, in order. */
    public List<String> commands() {
        return terminals.started();
    }

    /**
     * Returns the number of terminals that have not been released. An agent may release one after its turn has ended.
     */
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
        // Line ends are kept, and the last line may have none.
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
