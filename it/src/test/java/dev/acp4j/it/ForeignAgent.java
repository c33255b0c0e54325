package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Entry;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.Turn;
import dev.acp4j.http.Http;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.proxy.Answer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Problem;
import dev.acp4j.rpc.Transport;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Method;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.ToolCallStatus;
import dev.acp4j.testkit.Wire;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * Starts an agent of others for a test and watches it: a test that fails shows the wire, the agent's standard error and
 * the problems that the connection reported; one that succeeds has left no process.
 */
final class ForeignAgent implements TestExecutionExceptionHandler, AfterEachCallback {
    private final Wire wire = new Wire();
    private final List<String> stderr = new CopyOnWriteArrayList<>();
    private final List<Problem> problems = new CopyOnWriteArrayList<>();
    private final List<ProcessHandle> processes = new ArrayList<>();

    private @Nullable LaunchedProcess running;
    private @Nullable Process listening;

    /** How an agent of the folder with programs is reached. */
    enum Way {
        STDIO,
        EVENTS,
        WEBSOCKET
    }

    /** Starts a program of node that is an agent or, unless by standard input and output, a server with one. */
    ConnectedAgent connect(Client.Builder client, Way way, String script, String... args)
            throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(
                List.of("node", NodePrograms.folder().resolve(script).toString()));
        command.addAll(List.of(args));
        if (way == Way.STDIO) {
            return connect(client, Launch.of(command.get(0), command.subList(1, command.size())));
        }
        RemoteAgent.Over over = way == Way.EVENTS ? RemoteAgent.Over.EVENTS : RemoteAgent.Over.WEBSOCKET;
        RemoteAgent server = Http.to(listen(command)).over(over);
        return client.onProblem(problems::add).connect(wire.watch(server.open()));
    }

    /** Starts a server; it ends when its input does. Returns its address, which is the first line that it prints. */
    private URI listen(List<String> command) throws IOException {
        List<String> listens = new ArrayList<>(command);
        listens.add("--listen");
        Process server = new ProcessBuilder(listens).start();
        listening = server;
        Thread unused =
                Thread.ofVirtual().start(() -> server.errorReader().lines().forEach(stderr::add));
        String address = server.inputReader().readLine();
        return URI.create(Objects.requireNonNull(address, "the server printed no address"));
    }

    ConnectedAgent connect(Client.Builder client, Launch launch) throws IOException, InterruptedException {
        running = launch.onStderr(stderr::add).start();
        return client.onProblem(problems::add).connect(wire.watch(running.transport()));
    }

    /**
     * Opens a session in which the agent has tools of this program, by the address of a server or by a program to
     * start.
     */
    Session withTools(Client.Builder client, Launch launch, Path folder, ToolServer tools, boolean overHttp)
            throws IOException, InterruptedException {
        running = launch.onStderr(stderr::add).start();
        Transport transport = wire.watch(running.transport());
        ConnectedAgent agent = ToolServer.addTo(client.onProblem(problems::add), tools)
                .connect(overHttp ? transport : withoutHttp().before(transport));
        Session session = agent.newSession(SessionSetup.in(folder).withMcpServers(List.of(tools.declaration())));
        assertThat(session.setup().mcpServers())
                .singleElement()
                .isInstanceOf(overHttp ? McpServer.Http.class : McpServer.Stdio.class);
        return session;
    }

    /** A proxy that keeps to itself that the agent reaches MCP servers by address. */
    private static Proxy withoutHttp() {
        return Proxy.builder("without-http", "1")
                .onRequests(Method.Side.AGENT, "initialize"::equals, (params, hop) -> {
                    Answer<RawJson> answer = hop.forward();
                    return answer.with(
                            RawJson.parse(answer.result().toString().replace("\"http\":true", "\"http\":false")));
                })
                .build();
    }

    /** Closes the connection; the agent and all that it had started are gone then. */
    void end(ConnectedAgent agent) throws Exception {
        if (listening != null) {
            agent.close();
            return;
        }
        ProcessHandle.of(running().pid()).ifPresent(root -> {
            processes.add(root);
            processes.addAll(root.descendants().toList());
        });
        agent.close();
        assertThat(running().ending().orElseThrow().survivors()).isEmpty();
        for (ProcessHandle process : processes) {
            // A process without parent is gone only when the system has taken note of its end.
            process.onExit().get(60, TimeUnit.SECONDS);
        }
    }

    /** Returns the processes that were there when the agent was ended. */
    List<ProcessHandle> processes() {
        return processes;
    }

    /** Makes a named pipe: whoever reads it waits until a command of the agent writes to it. */
    static Path pipe(Path path) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("mkfifo", path.toString()).start().waitFor())
                .isZero();
        return path;
    }

    /** Waits for the end of a turn that calls one tool; the tool has succeeded and the turn ended well. */
    static Entry.ToolCall callOf(Turn turn) throws InterruptedException {
        Entry.@Nullable ToolCall last = null;
        for (SessionEvent event : turn) {
            if (event instanceof SessionEvent.ToolCallChanged changed) {
                last = changed.call();
            }
        }
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.END_TURN);
        Entry.ToolCall call = Objects.requireNonNull(last, "no tool was called");
        assertThat(call.status()).isEqualTo(ToolCallStatus.COMPLETED);
        return call;
    }

    LaunchedProcess running() {
        return Objects.requireNonNull(running, "the agent was not started");
    }

    /** Returns the messages so far, one a line, {@code -->} from us and {@code <--} from the agent. */
    List<String> wire() {
        return wire.messages();
    }

    List<Problem> problems() {
        return problems;
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) {
        throw new AssertionError(
                "%s%n--- wire%n%s%n--- standard error%n%s%n--- problems%n%s"
                        .formatted(failure, wire, String.join("\n", stderr), problems),
                failure);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (listening != null) {
            listening.getOutputStream().close();
            boolean hasEnded = listening.waitFor(60, TimeUnit.SECONDS);
            listening.destroyForcibly();
            assertThat(hasEnded).as("the server ends with its input").isTrue();
        }
        if (running != null) {
            running.close();
            assertThat(running.ending().orElseThrow().isComplete())
                    .as("what was left of %s: %s", running, running.ending())
                    .isTrue();
        }
    }
}
