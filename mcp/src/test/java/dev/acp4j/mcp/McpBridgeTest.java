package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.CodeSigner;
import java.security.CodeSource;
import java.security.SecureClassLoader;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a bridge and a proxy with tools change in what passes them, and what they leave as it is, message for message.
 */
@Timeout(60)
class McpBridgeTest {
    private static final String PROGRAM = "{\"name\":\"files\",\"command\":\"/bin/files\",\"args\":[],\"env\":[]}";
    private static final String OVER_ACP =
            "{\"type\":\"acp\",\"name\":\"own\",\"serverId\":\"own-1\",\"_meta\":{\"a\":1}}";

    private final Deque<AutoCloseable> open = new ArrayDeque<>();
    private final LinkedBlockingQueue<RawJson> setups = new LinkedBlockingQueue<>();
    private final List<String> notices = new CopyOnWriteArrayList<>();
    private final McpBridge bridge = new McpBridge(notices::add);
    private @Nullable Connection agent;

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable one : open) {
            one.close();
        }
        bridge.close();
    }

    /** An agent that answers whatever it is asked, and keeps what sessions are opened with. */
    private final class AnyAgent implements Handler {
        private final RawJson initialized;

        AnyAgent(String initialized) {
            this.initialized = RawJson.parse(initialized);
        }

        @Override
        public Acceptance request(IncomingRequest request) {
            RawJson params =
                    request.params() == null ? RawJson.NULL : request.params().copy();
            return () -> () -> {
                if (request.method().equals("initialize")) {
                    return initialized;
                }
                setups.add(params);
                return RawJson.parse("{\"sessionId\":\"s\"}");
            };
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    }

    /** Returns a client of an agent behind a proxy. */
    private Connection connect(Proxy proxy, String initialized) {
        return connect(proxy, initialized, new AnyAgent("{}"));
    }

    private Connection connect(Proxy proxy, String initialized, Handler handler) {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        agent = Connection.builder(pair.right(), new AnyAgent(initialized)).start();
        open.push(agent);
        Connection client =
                Connection.builder(proxy.before(pair.left()), handler).start();
        open.push(client);
        return client;
    }

    private static RawJson initialize(Connection client, int version) throws InterruptedException {
        return client.call(
                "initialize", RawJson.parse("{\"protocolVersion\":" + version + ",\"clientCapabilities\":{}}"));
    }

    private static RawJson setup(String servers) {
        return RawJson.parse("{\"sessionId\":\"s\",\"cwd\":\"/w\",\"x\":{\"n\":1.50},\"mcpServers\":" + servers
                + ",\"_meta\":{\"b\":null}}");
    }

    @Tag("PXL-22")
    @ParameterizedTest
    @ValueSource(strings = {"session/new", "session/load", "session/resume", "session/fork"})
    void eachSetupIsRefusedWhereTheAgentCannotHaveTheToolsOfAProxy(String method) throws Exception {
        ToolServer tools = ToolServer.builder("own", "1")
                .tool("folder", "Says whose it is", call -> "the proxy's")
                .build();
        Connection client = connect(
                ToolServer.addTo(Proxy.builder("git", "1"), tools).build(),
                "{\"protocolVersion\":2,\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{}}");
        initialize(client, 2);

        assertThatThrownBy(() -> client.call(method, setup("[]")))
                .hasMessageContaining("the agent connects no MCP servers, so it cannot have own");
    }

    @Tag("MCP-35")
    @Test
    void anAgentThatTakesServersOverAcpIsLeftAlone() throws Exception {
        String said =
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"acp\":true,\"http\":true}}}";
        Connection client = connect(bridge.proxy(), said);

        assertThat(initialize(client, 1)).isEqualTo(RawJson.parse(said));
        RawJson params = setup("[" + PROGRAM + "," + OVER_ACP + "]");
        RawJson unused = client.call("session/new", params);

        assertThat(setups.take()).isEqualTo(params);
    }

    @Tag("MCP-35")
    @Tag("MCP-37")
    @ParameterizedTest
    @ValueSource(strings = {"session/new", "session/load", "session/resume", "session/fork"})
    void inEachSetupOnlyTheServersOverAcpAreReplacedForAnAgentWithHttp(String method) throws Exception {
        Connection client = connect(
                bridge.proxy(),
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,\"mcpCapabilities\":{\"http\":true,\"x\":1}}}");

        assertThat(initialize(client, 1).toString())
                .contains("\"loadSession\":true", "\"http\":true", "\"x\":1", "\"acp\":true");
        RawJson unused = client.call(method, setup("[" + PROGRAM + "," + OVER_ACP + "]"));

        Members got = Members.of(setups.take());
        List<RawJson> servers = got.list("mcpServers");
        assertThat(servers).hasSize(2);
        assertThat(got.with("mcpServers", RawJson.parse("[]")).json()).isEqualTo(setup("[]"));
        assertThat(servers.getFirst()).isEqualTo(RawJson.parse(PROGRAM));
        Members replaced = Members.of(servers.getLast());
        assertThat(replaced.text("type")).isEqualTo("http");
        assertThat(replaced.text("name")).isEqualTo("own");
        assertThat(replaced.raw("_meta"))
                .isEqualTo(RawJson.parse(
                        "{\"a\":1,\"acp4j/mcpWay\":\"over HTTP, since the agent takes no servers over ACP\"}"));
    }

    @Tag("MCX-33")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    {}            | own   | by a program, since the agent takes servers neither over ACP nor over HTTP
                    {}            | issues| relayed by a program, since the agent takes servers neither over HTTP nor over ACP
                    {"acp":true}  | issues| relayed over ACP, since the agent takes no servers over HTTP
                    {"http":true} | own   | over HTTP, since the agent takes no servers over ACP
                    """)
    void theDeclarationForTheAgentSaysWhichWayWasChosenAndWhy(String taken, String name, String way) throws Exception {
        Connection client = connect(
                bridge.relay().then(bridge.proxy()),
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":" + taken + "}}");
        RawJson unused = initialize(client, 1);
        unused = client.call(
                "session/new",
                setup("[" + OVER_ACP + "," + PROGRAM
                        + ",{\"type\":\"http\",\"name\":\"issues\",\"url\":\"http://127.0.0.1:1/\",\"headers\":[]}]"));

        List<RawJson> servers = Members.of(setups.take()).list("mcpServers");

        assertThat(servers).contains(RawJson.parse(PROGRAM));
        assertThat(servers)
                .map(Members::of)
                .filteredOn(server -> name.equals(server.text("name")))
                .singleElement()
                .satisfies(server ->
                        assertThat(server.object("_meta").text("acp4j/mcpWay")).isEqualTo(way));
    }

    @Tag("MCX-37")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAgentElsewhereGetsNothingOfThisMachine(boolean hasHttp) throws Exception {
        Connection client = connect(
                bridge.elsewhere(),
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"http\":" + hasHttp + "}}}");
        String overHttp = "{\"type\":\"http\",\"name\":\"issues\",\"url\":\"http://example.com/mcp\",\"headers\":[]}";

        assertThat(initialize(client, 1).toString()).contains("\"acp\":true", "\"http\":" + hasHttp);
        RawJson unused = client.call("session/new", setup("[" + OVER_ACP + "," + PROGRAM + "," + overHttp + "]"));

        assertThat(setups.take()).isEqualTo(setup("[" + PROGRAM + (hasHttp ? "," + overHttp : "") + "]"));
        assertThat(notices)
                .hasSize(hasHttp ? 1 : 2)
                .contains(
                        "The MCP server own is left out: it is served on this machine, which the agent cannot reach.");
    }

    @Tag("MCX-37")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void aServerThatTheAgentDoesNotComeToIsReportedWhenATurnIsOver(int version) throws Exception {
        Connection client = connect(
                bridge.proxy(),
                version == 1
                        ? "{\"protocolVersion\":1,\"agentCapabilities\":{}}"
                        : "{\"protocolVersion\":2,\"capabilities\":{\"session\":{\"mcp\":{\"stdio\":{}}}},\"info\":{\"name\":\"a\",\"version\":\"1\"}}");
        RawJson unused = client.call(
                "initialize",
                RawJson.parse("{\"protocolVersion\":" + version
                        + ",\"capabilities\":{},\"info\":{\"name\":\"c\",\"version\":\"1\"}}"));
        unused = client.call("session/new", setup("[" + OVER_ACP + "]"));
        RawJson prompt = RawJson.parse("{\"sessionId\":\"s\",\"prompt\":[]}");

        for (int turn = 0; turn < 3; turn++) {
            assertThat(notices).hasSize(turn < version ? 0 : 1);
            unused = client.call("session/prompt", prompt);
        }

        assertThat(notices)
                .singleElement()
                .asString()
                .startsWith("The agent has not asked the MCP server own for anything in its first turn.");
    }

    @Tag("CON-31")
    @Test
    void aServerOfTheOlderBindingIsReportedWhenTheAgentAsksItOverHttp() throws Exception {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        open.push(Connection.builder(
                        pair.right(),
                        new AnyAgent(
                                "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"http\":true}}}"))
                .start());
        Connection client = Connection.builder(bridge.proxy().before(pair.left()), new OlderBinding())
                .start();
        open.push(client);
        RawJson unused = initialize(client, 1);
        unused = client.call("session/new", setup("[" + OVER_ACP + "]"));
        Members declared =
                Members.of(Members.of(setups.take()).list("mcpServers").getFirst());
        McpServer.Http server = McpServer.Http.of(
                "own",
                declared.text("url", ""),
                List.of(HttpHeader.of(
                        "Authorization",
                        Members.of(declared.list("headers").getFirst()).text("value", ""))));

        String answer = HttpPosts.post(server, "tools/list", "");

        assertThat(answer).contains("the server cannot be reached");
        assertThat(notices)
                .singleElement()
                .asString()
                .startsWith("The MCP server own does not answer mcp/message.")
                .contains("mcp/connect");
    }

    /** A client, or a proxy, whose server of tools is reached by {@code mcp/connect} only. */
    private static final class OlderBinding implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            return () -> () -> {
                if (request.method().equals("mcp/connect")) {
                    return RawJson.parse("{\"connectionId\":\"c\"}");
                }
                throw RpcError.methodNotFound(request.method());
            };
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    }

    @Tag("MCP-05")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aRequestOfTheAgentToAServerOfTheClientPassesUnchanged(boolean isBridge) throws Exception {
        ToolServer tools =
                ToolServer.builder("own", "1").tool("a", "", call -> 1).build();
        Connection client = connect(
                isBridge
                        ? bridge.proxy()
                        : ToolServer.addTo(Proxy.builder("tools", "1"), tools).build(),
                "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"acp\":true}}}");
        RawJson unused = initialize(client, 1);
        RawJson asked = RawJson.parse("{\"serverId\":\"of the client\",\"requestId\":\"r 1\",\"method\":\"tools/list\","
                + "\"params\":{\"n\":1.50,\"_meta\":{}},\"_meta\":{\"x\":null}}");

        unused = Objects.requireNonNull(agent).call("mcp/message", asked);

        assertThat(setups.take()).isEqualTo(asked);
    }

    @Tag("MCP-37")
    @Test
    void aRequestThatOpensNoSessionIsNotTouched() throws Exception {
        Connection client = connect(
                bridge.proxy(), "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"http\":true}}}");
        RawJson unused = initialize(client, 1);
        RawJson params = setup("[" + OVER_ACP + "]");

        unused = client.call("_own/setup", params);

        assertThat(setups.take()).isEqualTo(params);
    }

    @Tag("MCP-35")
    @Test
    void anAgentThatConnectsNoServersIsNotPromisedToDoSoAndIsNotAsked() throws Exception {
        String said =
                "{\"protocolVersion\":2,\"capabilities\":{\"session\":{}},\"info\":{\"name\":\"a\",\"version\":\"1\"}}";
        Connection client = connect(bridge.proxy(), said);

        assertThat(
                        client.call(
                                "initialize",
                                RawJson.parse(
                                        "{\"protocolVersion\":2,\"capabilities\":{},\"info\":{\"name\":\"c\",\"version\":\"1\"}}")))
                .isEqualTo(RawJson.parse(said));
        assertThatThrownBy(() -> client.call("session/new", setup("[" + OVER_ACP + "]")))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32602))
                .hasMessageContaining("own");
        assertThat(setups).isEmpty();
    }

    @Tag("MCP-37")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    [{"type":"acp","name":"own"}]                 | params.mcpServers[0]:
                    [{"type":"acp","name":7,"serverId":"own-1"}]  | params.mcpServers[0]:
                    """)
    void aDeclarationThatIsNotAsItShouldBeIsRefusedWithItsPath(String servers, String path) throws Exception {
        Connection client = connect(
                bridge.proxy(), "{\"protocolVersion\":1,\"agentCapabilities\":{\"mcpCapabilities\":{\"http\":true}}}");
        RawJson unused = initialize(client, 1);

        assertThatThrownBy(() -> client.call("session/new", setup(servers)))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32602))
                .hasMessageContaining(path);
        assertThat(setups).isEmpty();
    }

    /** A client that reports a change of its tools to whom asks for that, at once. */
    private static final class ReportingClient implements Handler {
        private final CountDownLatch reported = new CountDownLatch(1);
        private @Nullable Connection connection;

        @Override
        public void bound(Connection value) {
            connection = value;
        }

        @Override
        public Acceptance request(IncomingRequest request) {
            Members asked = Members.of(Objects.requireNonNull(request.params()).copy());
            return () -> () -> {
                if (asked.text("method", "").equals("subscriptions/listen")) {
                    report(asked, "subscriptions/acknowledged");
                    report(asked, "tools/list_changed");
                    reported.countDown();
                    new CountDownLatch(1).await();
                }
                if (asked.text("method", "").equals("tools/call")) {
                    RawJson message = RawJson.parse("{\"level\":\"info\",\"data\":\"" + "x".repeat(1 << 20) + "\"}");
                    for (int i = 0; i < 150; i++) {
                        report(asked, "message", message);
                    }
                    reported.countDown();
                }
                return RawJson.parse("{\"result\":{\"capabilities\":{\"tools\":{\"listChanged\":true}}}}");
            };
        }

        private void report(Members asked, String what) throws InterruptedException {
            report(asked, what, RawJson.EMPTY_OBJECT);
        }

        private void report(Members asked, String what, RawJson params) throws InterruptedException {
            Objects.requireNonNull(connection)
                    .send(
                            "mcp/message",
                            asked.with("method", RawJson.string("notifications/" + what))
                                    .with("params", params)
                                    .json());
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    }

    private static Socket program(RawJson declaration) throws IOException {
        Map<String, String> environment = new HashMap<>();
        for (RawJson variable : Members.of(declaration).list("env")) {
            environment.put(
                    Members.of(variable).text("name", ""), Members.of(variable).text("value", ""));
        }
        int port = Integer.parseInt(environment.get(ToolShim.PORT));
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
        write(socket, Objects.requireNonNull(environment.get(ToolShim.TOKEN)));
        return socket;
    }

    private static void write(Socket socket, String line) throws IOException {
        socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    @Tag("MCX-33")
    @Test
    void aProgramThatIsNotReadyHoldsUpNothingOfTheConnection() throws Exception {
        ReportingClient own = new ReportingClient();
        Connection client = connect(bridge.proxy(), "{\"protocolVersion\":1,\"agentCapabilities\":{}}", own);
        RawJson unused = initialize(client, 1);
        unused = client.call("session/new", setup("[" + OVER_ACP + "]"));
        RawJson declaration = Members.of(setups.take()).list("mcpServers").getFirst();

        try (Socket socket = program(declaration)) {
            BufferedReader answers =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            write(socket, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{}}");
            assertThat(answers.readLine()).contains("\"id\":1", "\"listChanged\":true");
            own.reported.await();

            // The bridge may not send to the program yet.
            unused = client.call("session/list", RawJson.EMPTY_OBJECT);
            assertThat(setups.take()).isNotNull();

            write(socket, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
            assertThat(answers.readLine()).contains("notifications/tools/list_changed");
        }
    }

    @Tag("MCX-33")
    @Test
    void aProgramThatReadsNothingHoldsUpNothingOfTheConnection() throws Exception {
        ReportingClient own = new ReportingClient();
        Connection client = connect(bridge.proxy(), "{\"protocolVersion\":1,\"agentCapabilities\":{}}", own);
        RawJson unused = initialize(client, 1);
        unused = client.call("session/new", setup("[" + OVER_ACP + "]"));
        RawJson declaration = Members.of(setups.take()).list("mcpServers").getFirst();

        try (Socket socket = program(declaration)) {
            // More than the queue of a connection has room for, and the buffers of a socket.
            write(socket, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"a\"}}");
            own.reported.await();

            unused = client.call("session/list", RawJson.EMPTY_OBJECT);

            assertThat(setups.take()).isNotNull();
        }
    }

    /** Defines the classes of this module itself, as if they were in an image of the JDK. */
    private static final class ImageLoader extends SecureClassLoader {
        ImageLoader() {
            super(McpBridge.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith("dev.acp4j.mcp.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> known = findLoadedClass(name);
            return known == null ? define(name) : known;
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream from =
                    Objects.requireNonNull(getResourceAsStream(name.replace('.', '/') + ".class"), name)) {
                byte[] bytes = from.readAllBytes();
                CodeSource image =
                        new CodeSource(URI.create("jrt:/dev.acp4j.mcp").toURL(), (CodeSigner[]) null);
                return defineClass(name, bytes, 0, bytes.length, image);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }

    @Tag("MCX-36")
    @Test
    void theProgramStartsAlsoWhenTheClassesAreInAnImage() throws Exception {
        Class<?> type = new ImageLoader().loadClass(McpBridge.class.getName());
        AutoCloseable ofImage = (AutoCloseable) type.getDeclaredConstructor().newInstance();
        open.addLast(ofImage);
        Connection client = connect(
                (Proxy) type.getMethod("proxy").invoke(ofImage), "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
        RawJson unused = initialize(client, 1);
        unused = client.call("session/new", setup("[" + OVER_ACP + "]"));
        Members declaration =
                Members.of(Members.of(setups.take()).list("mcpServers").getFirst());

        ProcessBuilder program = new ProcessBuilder(declaration.text("command", ""));
        declaration
                .list("args")
                .forEach(argument -> program.command().add(argument.reader().string()));
        for (RawJson variable : declaration.list("env")) {
            program.environment()
                    .put(
                            Members.of(variable).text("name", ""),
                            Members.of(variable).text("value", ""));
        }
        Process started = program.redirectError(ProcessBuilder.Redirect.DISCARD).start();
        try (BufferedReader answers = started.inputReader();
                Writer out = started.outputWriter()) {
            out.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n");
            out.flush();

            assertThat(answers.readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        }
        assertThat(started.waitFor()).isZero();
        int at = program.command().indexOf("-cp");
        Path classes = Path.of(program.command().get(at + 1));
        assertThat(classes).isDirectory();
        ofImage.close();
        assertThat(classes).doesNotExist();
    }

    @Tag("MCP-37")
    @Test
    void aProxyWithToolsAddsThemToAListOnly() throws Exception {
        ToolServer tools =
                ToolServer.builder("own", "1").tool("a", "", call -> 1).build();
        Connection client = connect(
                ToolServer.addTo(Proxy.builder("tools", "1"), tools).build(),
                "{\"protocolVersion\":1,\"agentCapabilities\":{}}");
        RawJson unused = initialize(client, 1);

        assertThatThrownBy(() -> client.call("session/new", setup("7")))
                .isInstanceOfSatisfying(
                        RpcError.class, e -> assertThat(e.code()).isEqualTo(-32602))
                .hasMessageContaining("params.mcpServers");
        assertThat(setups).isEmpty();
        unused = client.call("session/new", RawJson.parse("{\"cwd\":\"/w\"}"));
        assertThat(Members.of(setups.take()).list("mcpServers")).hasSize(1);
    }
}
