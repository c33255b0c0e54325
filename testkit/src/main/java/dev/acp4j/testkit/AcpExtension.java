package dev.acp4j.testkit;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.process.Launch;
import dev.acp4j.process.LaunchedProcess;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.Tracer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * A JUnit extension that provides tests of agents and clients with a connection, a session and the wire. After the test
 * all of them are closed; a failed test prints the wire, and a test that leaks resources fails, see {@link LeakRule}.
 *
 * <pre>{@code
 * class MyAgentTest {
 *   @RegisterExtension
 *   final AcpExtension acp = AcpExtension.agent(MyAgent.create());
 *
 *   @Test
 *   void answers(Session session) throws Exception {
 *     assertThat(session.prompt("hello").text()).isEqualTo("You said: hello");
 *   }
 *
 *   @Test
 *   void asksBeforeItWrites(Session session, TestClient client) throws Exception {
 *     client.decide(PermissionOptionKind.REJECT_ONCE);
 *     session.prompt("change it").result();
 *     assertThat(client.permissions()).hasSize(1);
 *   }
 * }
 * }</pre>
 *
 * <p>A test may take as parameters, without annotations,
 *
 * <ul>
 *   <li>{@link ConnectedAgent}: the client's end of the connection
 *   <li>{@link Session}: a new session in the folder
 *   <li>{@link Path}: the folder, new and empty for each test
 *   <li>{@link TestClient}: the client, to script its answers and to check the requests to it; for tests of agents
 *   <li>{@link ScriptedPeer}: the client's end, scripted by the test instead; for tests of agents, without the
 *       parameters above
 *   <li>{@link Wire}: the messages of the connection so far, seen from the client
 * </ul>
 *
 * <p>Tests that run in parallel in one JVM would fail for each other's leaks.
 */
@SuppressWarnings("exports") // JUnit is optional: only users of the extension need it.
public final class AcpExtension
        implements BeforeEachCallback, AfterEachCallback, ParameterResolver, TestExecutionExceptionHandler {
    private static final List<Class<?>> PARAMETERS =
            List.of(ConnectedAgent.class, Session.class, Path.class, TestClient.class, ScriptedPeer.class, Wire.class);

    /** Connects to the agent. All connections are closed after the test. */
    private interface Agents {
        /** Connects a client to the agent. */
        ConnectedAgent connect(Client.Builder client, AcpExtension test) throws InterruptedException;

        /** Opens the client's end of a connection. */
        Transport open(AcpExtension test) throws IOException, InterruptedException;
    }

    private record InThisProgram(Agent agent) implements Agents {
        @Override
        public ConnectedAgent connect(Client.Builder client, AcpExtension test) throws InterruptedException {
            return client.connect(open(test));
        }

        @Override
        public Transport open(AcpExtension test) {
            Transports ends = Transports.joined();
            test.open.push(agent.connect(ends.agent()));
            return test.wire.watch(ends.client());
        }
    }

    private record InAProcess(Launch launch) implements Agents {
        @Override
        public ConnectedAgent connect(Client.Builder client, AcpExtension test) throws InterruptedException {
            Tracer tracer = new Tracer(test.wire::add, Redaction.NONE, Time.SYSTEM);
            return client.trace(tracer).connect(launch);
        }

        @Override
        public Transport open(AcpExtension test) throws IOException, InterruptedException {
            LaunchedProcess running = launch.start();
            test.open.push(running);
            return test.wire.watch(running.transport());
        }
    }

    private final Agents agents;
    private final Client.@Nullable Builder client;
    private final LeakRule leaks = new LeakRule();
    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private TestClient testClient = TestClient.create();
    private Wire wire = new Wire();
    private @Nullable Path folder;
    private @Nullable ConnectedAgent connection;
    private @Nullable ScriptedPeer peer;

    private AcpExtension(Agents agents, Client.@Nullable Builder client) {
        this.agents = agents;
        this.client = client;
    }

    /** Tests an agent, in this program. */
    public static AcpExtension agent(Agent agent) {
        return new AcpExtension(new InThisProgram(agent), null);
    }

    /** Tests an agent in a process of its own, in any language; each test starts a new process. */
    public static AcpExtension agent(Launch launch) {
        return new AcpExtension(new InAProcess(launch), null);
    }

    /** Tests a client, with the {@link TestAgent} as its agent. */
    public static AcpExtension client(Client.Builder client) {
        return new AcpExtension(new InThisProgram(TestAgent.create()), client);
    }

    @Override
    public void beforeEach(ExtensionContext context) {
        leaks.beforeEach(context);
        testClient = TestClient.create();
        wire = new Wire();
        folder = null;
        connection = null;
        peer = null;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        try {
            closeAll();
        } finally {
            delete(folder);
            leaks.afterEach(context);
        }
    }

    /** Closes all resources in reverse order, even if closing one fails. */
    private void closeAll() throws Exception {
        if (open.isEmpty()) {
            return;
        }
        try {
            open.pop().close();
        } finally {
            closeAll();
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        failure.addSuppressed(new AssertionError("the wire:\n" + wire));
        throw failure;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        // A parameter with an annotation, such as @TempDir, belongs to another extension.
        return PARAMETERS.contains(parameter.getParameter().getType())
                && parameter.getParameter().getAnnotations().length == 0;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        try {
            if (type == Wire.class) {
                return wire;
            }
            if (type == Path.class) {
                return folder();
            }
            if (type == TestClient.class) {
                return testClient();
            }
            if (type == ScriptedPeer.class) {
                return peer();
            }
            return type == Session.class ? connection().newSession(folder()) : connection();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new ParameterResolutionException("interrupted while connecting", e);
        } catch (IOException e) {
            throw new ParameterResolutionException("the agent cannot be reached: " + e, e);
        } catch (RuntimeException e) {
            throw new ParameterResolutionException(e.getMessage() + "\nthe wire:\n" + wire, e);
        }
    }

    private TestClient testClient() {
        if (client != null) {
            throw new ParameterResolutionException("the client under test is not a TestClient");
        }
        return testClient;
    }

    private ConnectedAgent connection() throws InterruptedException {
        if (peer != null) {
            throw new ParameterResolutionException(
                    "the client's end is scripted by the test: declare the ScriptedPeer only");
        }
        if (connection == null) {
            Client.Builder builder = client == null ? testClient.builder() : client;
            connection = agents.connect(builder, this);
            open.push(connection);
        }
        return connection;
    }

    private ScriptedPeer peer() throws IOException, InterruptedException {
        if (connection != null || client != null) {
            throw new ParameterResolutionException(
                    "a client already uses the client's end: declare the ScriptedPeer only");
        }
        if (peer == null) {
            peer = new ScriptedPeer(agents.open(this));
            open.push(peer);
        }
        return peer;
    }

    private Path folder() throws IOException {
        if (folder == null) {
            folder = Files.createTempDirectory("acp4j-test").toRealPath();
        }
        return folder;
    }

    private static void delete(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
