package dev.acp4j.mcp;

import static dev.acp4j.mcp.HttpPosts.META;
import static dev.acp4j.mcp.HttpPosts.post;
import static dev.acp4j.mcp.HttpPosts.posted;
import static dev.acp4j.mcp.HttpPosts.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.Turn;
import dev.acp4j.json.RawJson;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RpcError;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.ClientMethods;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.McpRequestId;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.McpServerAcpId;
import dev.acp4j.schema.MessageMcpNotification;
import dev.acp4j.schema.MessageMcpRequest;
import dev.acp4j.schema.MessageMcpResponse;
import dev.acp4j.schema.StopReason;
import dev.acp4j.schema.Version;
import dev.acp4j.testkit.Transports;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Tools of this program, offered to agents of each kind and served without ACP. */
class ToolServerTest extends McpSession {
    /** How an agent reaches the servers of its client. */
    enum Way {
        ACP,
        HTTP,
        PROGRAM
    }

    enum Unit {
        LINES,
        BYTES
    }

    record Range(int from, @Nullable Integer to) {}

    record Query(@ToolServer.Description("Where to look") String file, Unit unit, List<Range> ranges, boolean exact) {}

    record Release(String version, @Nullable Unit unit, boolean draft) {}

    record Found(String file, int count, List<Unit> units) {}

    private final CountDownLatch runs = new CountDownLatch(1);
    private final CountDownLatch interrupted = new CountDownLatch(1);
    private final ToolServer tools = ToolServer.builder("own", "1.0")
            .instructions("Ask first.")
            .tool(
                    "folder",
                    "Names the folder",
                    call -> call.setup()
                            .map(SessionSetup::cwd)
                            .map(Object::toString)
                            .orElse("none"))
            .tool("find", "Finds", Query.class, (query, call) -> {
                call.progress(1, 2, "looking");
                return new Found(query.file(), query.ranges().size(), List.of(query.unit()));
            })
            .tool(
                    "greet",
                    "Greets",
                    RawJson.parse(
                            "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\",\"maxLength\":9}},"
                                    + "\"required\":[\"name\"]}"),
                    call -> List.of(ContentBlock.text("Hello"), ContentBlock.text(call.text("name"))))
            .tool("fail", "Fails", call -> {
                throw new IllegalStateException("no luck today");
            })
            .tool("release", "Asks", call -> {
                Release first = call.ask("What is released?", Release.class).orElseThrow();
                return first.version()
                        + first.unit()
                        + first.draft()
                        + call.ask("And then?", Release.class).isPresent();
            })
            .tool("wait", "Waits", call -> {
                runs.countDown();
                try {
                    new CountDownLatch(1).await();
                } finally {
                    interrupted.countDown();
                }
                return null;
            })
            .build();

    private static McpServers.Builder way(Way way) {
        McpServers.Builder mcp = McpServers.builder()
                .asks(tool -> false)
                .patience(Duration.ofSeconds(50))
                // The session is not open before its servers are.
                .required();
        return switch (way) {
            case ACP -> mcp.acp();
            case HTTP -> mcp.http();
            case PROGRAM -> mcp;
        };
    }

    private ConnectedAgent offer(Way way) throws Exception {
        return connect(way(way), ToolServer.addTo(client.builder(), tools));
    }

    private Session open(ConnectedAgent agent) throws Exception {
        return agent.newSession(with(tools.declaration()));
    }

    private static final String QUERY =
            "{\"file\":\"a.txt\",\"unit\":\"BYTES\",\"ranges\":[{\"from\":1,\"to\":2},{\"from\":3}],\"exact\":true}";

    @Tag("MCP-17")
    @Tag("MCP-21")
    @Tag("MCP-22")
    @Tag("MCX-31")
    @Tag("MCX-32")
    @Tag("MCX-33")
    @Tag("MCX-38")
    @ParameterizedTest
    @EnumSource
    void anAgentUsesTheToolsInTheWayThatItCanAndTheyAnswerAlike(Way way) throws Exception {
        Session session = open(offer(way));

        assertThat(say(session, "tools"))
                .isEqualTo("own__folder\nown__find\nown__greet\nown__fail\nown__release\nown__wait");
        assertThat(say(session, "call own.folder")).isEqualTo(folder.toString());
        assertThat(say(session, "call own.find " + QUERY)).contains("a.txt");
        assertThat(lastCall(session).rawOutput())
                .isEqualTo(RawJson.parse("{\"file\":\"a.txt\",\"count\":2,\"units\":[\"BYTES\"]}"));
        assertThat(wire()).anyMatch(line -> line.contains("looking (1 of 2)"));
        assertThat(say(session, "call own.greet {\"name\":\"Ada\"}")).isEqualTo("Hello\nAda");
        assertThat(say(session, "call own.fail")).isEqualTo("error: no luck today");
        String setup = wire().stream()
                .filter(line -> line.contains("session/new"))
                .findFirst()
                .orElseThrow();
        assertThat(setup)
                .contains(
                        switch (way) {
                            case ACP -> "\"type\":\"acp\"";
                            case HTTP -> "\"url\":\"http://127.0.0.1:";
                            case PROGRAM -> ToolShim.class.getName();
                        });
    }

    @Tag("MCP-32")
    @Tag("MCP-35")
    @Tag("MCX-33")
    @ParameterizedTest
    @EnumSource
    void aBridgeReachesAnAgentThatCannotUseServersOverAcp(Way way) throws Exception {
        McpBridge bridge = closing(new McpBridge());
        ConnectedAgent agent = connect(
                way(way),
                ToolServer.addTo(client.builder(), tools),
                transport -> bridge.proxy().before(transport));
        assertThat(agent.supports(Feature.MCP_ACP)).isTrue();
        Session session = open(agent);

        assertThat(say(session, "call own.find " + QUERY)).contains("a.txt");
        assertThat(lastCall(session).rawOutput())
                .isEqualTo(RawJson.parse("{\"file\":\"a.txt\",\"count\":2,\"units\":[\"BYTES\"]}"));
        assertThat(wire()).anyMatch(line -> line.contains("looking (1 of 2)"));
        assertThat(say(session, "call own.fail")).isEqualTo("error: no luck today");
        assertThat(say(session, "servers")).contains(way == Way.PROGRAM ? "2025-11-25" : "2026-07-28");

        Turn turn = session.prompt("call own.wait");
        runs.await();
        turn.cancel();
        interrupted.await();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);

        Session second = open(agent);
        session.close();
        assertThat(say(second, "call own.fail")).isEqualTo("error: no luck today");
    }

    @Tag("MCP-25")
    @Test
    void aBridgeServesAClientNoLongerThanItsConnection() throws Exception {
        McpBridge bridge = closing(new McpBridge());
        Transports ends = closing(Transports.joined());
        LinkedBlockingQueue<McpServer> declared = new LinkedBlockingQueue<>();
        closing(Agent.builder("agent", "1")
                .supports(Feature.MCP_STDIO)
                .onPrompt(turn -> {})
                .onSessionOpening(session -> declared.addAll(session.setup().mcpServers()))
                .build()
                .connect(ends.agent()));
        ConnectedAgent agent = closing(
                ToolServer.addTo(client.builder(), tools).connect(bridge.proxy().before(ends.client())));
        Session unused = open(agent);

        try (Socket program = started((McpServer.Stdio) declared.take())) {
            program.getOutputStream().write(PING);
            assertThat(program.getInputStream().readNBytes(9))
                    .asString(StandardCharsets.UTF_8)
                    .startsWith("{");
            agent.close();

            byte[] rest = program.getInputStream().readAllBytes();
            assertThat(rest).asString(StandardCharsets.UTF_8).endsWith("}\n");
        }
    }

    private static final byte[] PING =
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n".getBytes(StandardCharsets.UTF_8);

    /** Returns the connection that the program of a server opens. */
    private static Socket started(McpServer.Stdio server) throws IOException {
        Map<String, String> environment = new HashMap<>();
        server.env().forEach(variable -> environment.put(variable.name(), variable.value()));
        Socket socket = new Socket(
                InetAddress.getLoopbackAddress(),
                Integer.parseInt(Objects.requireNonNull(environment.get(ToolShim.PORT))));
        socket.getOutputStream().write((environment.get(ToolShim.TOKEN) + "\n").getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    @Tag("MCX-31")
    @Tag("MCX-34")
    @ParameterizedTest
    @EnumSource
    void aToolAsksTheUserAndGoesOnWithTheAnswer(Way way) throws Exception {
        client.fill(Map.of(
                "version", ElicitationContentValue.of("1.2"),
                "unit", ElicitationContentValue.of("LINES"),
                "draft", ElicitationContentValue.of(true)));
        Session session = open(offer(way));

        assertThat(say(session, "call own.release")).isEqualTo("1.2LINEStruefalse");
        assertThat(client.elicitations()).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource
    void aToolThatAsksAnAgentWhoseClientCannotShowFormsFails(Way way) throws Exception {
        Session session = open(connect(way(way), ToolServer.addTo(Client.builder("plain", "1"), tools)));

        assertThat(say(session, "call own.release")).startsWith("error: ").endsWith("the agent cannot ask the user");
    }

    @ParameterizedTest
    @EnumSource
    void aToolThatWaitsForTheUserEndsWithItsSession(Way way) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        ToolServer asks = ToolServer.builder("asks", "1")
                .tool("ask", "Asks", call -> {
                    try {
                        return call.ask("Who?", Release.class).isPresent();
                    } finally {
                        interrupted.countDown();
                    }
                })
                .build();
        Session session = connect(
                        way(way),
                        ToolServer.addTo(
                                Client.builder("slow", "1").onElicitation(question -> {
                                    asked.countDown();
                                    new CountDownLatch(1).await();
                                    throw new IllegalStateException();
                                }),
                                asks))
                .newSession(with(asks.declaration()));

        Turn unused = session.prompt("call asks.ask");
        asked.await();
        session.detach();

        interrupted.await();
    }

    @Tag("MCX-35")
    @Tag("MCX-34")
    @Test
    void overHttpAClientWithAHandshakeIsAskedWhereItWaitsForTheAnswer() throws Exception {
        try (ToolServer.Endpoint endpoint = tools.listen()) {
            McpServer.Http server = endpoint.declaration();
            String greeting = post(
                    server,
                    request(
                            1,
                            "initialize",
                            "\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"elicitation\":{}}"),
                    List.of(),
                    "");
            String session = session(greeting);
            try (Socket call = posted(
                            server, request(2, "tools/call", "\"name\":\"release\""), "Accept: */*\r\n" + session);
                    BufferedReader in =
                            new BufferedReader(new InputStreamReader(call.getInputStream(), StandardCharsets.UTF_8))) {
                answer(server, session, id(in), "accept", "{\"version\":\"1\",\"draft\":false}");
                answer(server, session, id(in), "accept", "{\"version\":1,\"draft\":false}");

                assertThat(in.lines()
                                .filter(line -> line.contains("\"result\""))
                                .findFirst())
                        .hasValueSatisfying(result -> assertThat(result)
                                .contains("the answer of the user.version:")
                                .doesNotContain("resultType"));
            }
        }
    }

    private static String session(String greeting) {
        return greeting.lines()
                .filter(line -> line.toLowerCase(java.util.Locale.ROOT).startsWith("mcp-session-id:"))
                .findFirst()
                .orElseThrow();
    }

    /** Returns the id of the next question in a stream of events. */
    private static String id(BufferedReader in) throws IOException {
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.contains("elicitation/create")) {
                return Members.of(RawJson.parse(line.substring("data: ".length())))
                        .text("id", "");
            }
        }
        throw new IOException("there is no question");
    }

    private static void answer(McpServer.Http server, String session, String id, String action, String content)
            throws IOException {
        String answer = "{\"jsonrpc\":\"2.0\",\"id\":\"" + id + "\",\"result\":{\"action\":\"" + action
                + "\",\"content\":" + content + "}}";
        assertThat(post(server, answer, List.of(session), "")).startsWith("HTTP/1.1 202");
    }

    @Tag("SEC-09")
    @Test
    void aProgramThatDoesNotSayTheTokenIsNotWaitedFor() throws Exception {
        try (ShimEndpoint endpoint =
                new ShimEndpoint(tools.declaration(), tools.provider(null), Duration.ofMillis(20))) {
            try (Socket silent = new Socket(InetAddress.getLoopbackAddress(), port(endpoint.declaration()))) {
                assertThat(silent.getInputStream().read()).isEqualTo(-1);
            }
            try (Socket program = started(endpoint.declaration())) {
                program.getOutputStream().write(PING);
                assertThat(program.getInputStream().read()).isEqualTo('{');
            }
        }
    }

    @Tag("MCX-36")
    @Test
    void theProgramEndsWithItsInputAndWithItsServerAndHasNoSecretInItsArguments() throws Exception {
        OfferedServer offered = closing(tools.offer(OfferedServer.Way.PROGRAM));
        McpServer.Stdio program = (McpServer.Stdio) offered.declaration();
        for (EnvVariable variable : program.env()) {
            assertThat(program.command() + program.args()).doesNotContain(variable.value());
        }
        Process leaves = start(program);
        Process stays = start(program);
        for (Process one : List.of(leaves, stays)) {
            one.getOutputStream().write(PING);
            one.getOutputStream().flush();
            assertThat(one.inputReader().readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
        }

        leaves.getOutputStream().close();
        assertThat(leaves.waitFor()).isZero();
        assertThat(stays.isAlive()).isTrue();
        offered.close();

        assertThat(stays.waitFor()).isZero();
        assertThat(stays.inputReader().readLine()).isNull();
    }

    @Tag("MCX-36")
    @Test
    void theProgramEndsWhenTheAgentIsKilled() throws Exception {
        OfferedServer offered = closing(tools.offer(OfferedServer.Way.PROGRAM));
        McpServer.Stdio program = (McpServer.Stdio) offered.declaration();
        List<String> command = new ArrayList<>(
                List.of(program.command(), "-cp", System.getProperty("java.class.path"), ShimParent.class.getName()));
        command.add(program.command());
        command.addAll(program.args());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        program.env().forEach(variable -> builder.environment().put(variable.name(), variable.value()));
        Process agent = builder.start();
        ProcessHandle shim =
                ProcessHandle.of(Long.parseLong(agent.inputReader().readLine())).orElseThrow();
        assertThat(agent.inputReader().readLine()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");

        agent.destroyForcibly();

        assertThat(shim.onExit().get()).isEqualTo(shim);
        assertThat(shim.isAlive()).isFalse();
    }

    private static Process start(McpServer.Stdio program) throws IOException {
        List<String> command = new ArrayList<>(List.of(program.command()));
        command.addAll(program.args());
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        program.env().forEach(variable -> builder.environment().put(variable.name(), variable.value()));
        return builder.start();
    }

    private static int port(McpServer.Stdio server) {
        return server.env().stream()
                .filter(variable -> variable.name().equals(ToolShim.PORT))
                .mapToInt(variable -> Integer.parseInt(variable.value()))
                .findFirst()
                .orElseThrow();
    }

    @Tag("PXL-22")
    @Test
    void anAgentThatConnectsNoServersIsNotLeftWithoutTheToolsOfAProxyInSilence() throws Exception {
        Transports ends = closing(Transports.joined());
        closing(Agent.builder("agent", "1")
                .protocol(Version.V2)
                .onPrompt(turn -> {})
                .build()
                .connect(ends.agent()));
        ConnectedAgent agent = closing(client.builder()
                .protocol(Version.V2)
                .connect(ToolServer.addTo(Proxy.builder("git", "1.0"), tools)
                        .build()
                        .before(ends.client())));

        assertThatThrownBy(() -> agent.newSession(with()))
                .hasMessageContaining("the agent connects no MCP servers, so it cannot have own");
    }

    @Tag("MCP-18")
    @Tag("MCX-31")
    @Tag("PXL-22")
    @ParameterizedTest
    @EnumSource
    void aProxyGivesTheAgentToolsOfItsOwnBesidesThoseOfTheClient(Way way) throws Exception {
        ToolServer same = ToolServer.builder("own", "1")
                .tool("folder", "Says whose it is", call -> "the client's")
                .build();
        ConnectedAgent agent = connect(
                way(way),
                ToolServer.addTo(client.builder(), same),
                transport -> ToolServer.addTo(Proxy.builder("git", "1.0"), tools)
                        .build()
                        .before(transport));

        Session session = agent.newSession(with(same.declaration()));
        assertThat(say(session, "call own.folder")).isEqualTo("the client's");
        assertThat(say(session, "call own-2.folder")).isEqualTo(folder.toString());
        assertThat(say(session, "call own-2.find " + QUERY)).contains("a.txt");
        assertThat(wire()).anyMatch(line -> line.contains("looking (1 of 2)"));

        Session alone = agent.newSession(with());
        Turn turn = alone.prompt("call own.wait");
        runs.await();
        turn.cancel();
        interrupted.await();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        session.close();
        assertThat(say(alone, "call own.fail")).isEqualTo("error: no luck today");
    }

    /** Answers as the tools do, and reports to the agent by whom it is asked. */
    private RawJson answered(ConnectedAgent agent, MessageMcpRequest request) throws InterruptedException {
        return tools.provider(null)
                .answer(
                        request.method(),
                        Members.of(request.params()),
                        (method, about) -> report(agent, request, request.requestId(), method, about));
    }

    private static void report(
            ConnectedAgent agent, MessageMcpRequest request, McpRequestId id, String method, RawJson about)
            throws InterruptedException {
        agent.send(
                AgentMethods.MESSAGE_MCP,
                MessageMcpNotification.builder(request.serverId(), id, method)
                        .params(about)
                        .build());
    }

    @Tag("MCP-05")
    @Tag("MCP-14")
    @Test
    void overAcpEachRequestOfAnAgentHasAnIdOfItsOwnAndSaysVersionAndCapabilities() throws Exception {
        Session session = open(offer(Way.ACP));
        assertThat(say(session, "call own.greet {\"name\":\"Ada\"}")).isEqualTo("Hello\nAda");

        List<Members> requests = wire().stream()
                .filter(line -> line.contains("\"method\":\"mcp/message\""))
                .map(line -> Members.of(RawJson.parse(line.substring(line.indexOf('{')))))
                .toList();
        assertThat(requests)
                .extracting(request -> request.object("params").text("method"))
                .containsExactly("server/discover", "tools/list", "tools/call");
        assertThat(requests)
                .extracting(request -> request.object("params").text("requestId"))
                .doesNotHaveDuplicates()
                .doesNotContainNull();
        for (Members request : requests) {
            Members inner = request.object("params");
            Members meta = inner.object("params").object("_meta");
            assertThat(String.valueOf(request.raw("id"))).isNotEqualTo(inner.text("requestId"));
            assertThat(meta.text(Face.VERSION)).isEqualTo("2026-07-28");
            assertThat(String.valueOf(meta.raw(Face.CAPABILITIES))).startsWith("{");
        }
    }

    @Tag("MCP-12")
    @Test
    void anAnswerOverAcpThatHasNoOutcomeFailsItsCallOnly() throws Exception {
        Session session = open(connect(way(Way.ACP), client.builder().on("mcp/message", (agent, raw) -> {
            MessageMcpRequest request = raw.decode(ClientMethods.MESSAGE_MCP.params());
            return "fail".equals(Members.of(request.params()).text("name"))
                    ? RawJson.parse("{\"outcome\":1}")
                    : RawJson.encode(
                            MessageMcpResponse.Result.of(answered(agent, request)), ClientMethods.MESSAGE_MCP.result());
        })));

        assertThat(say(session, "call own.fail"))
                .startsWith("error: ")
                .contains("neither a result nor an error of MCP");
        assertThat(say(session, "call own.greet {\"name\":\"Ada\"}")).isEqualTo("Hello\nAda");
    }

    @Tag("MCP-15")
    @Test
    void reportsThatBelongToNoRequestOrCannotBeReadDisturbNoCall() throws Exception {
        Session session =
                open(connect(way(Way.ACP), client.builder().on(ClientMethods.MESSAGE_MCP, (agent, request) -> {
                    RawJson bad = RawJson.parse("{\"progressToken\":[],\"progress\":\"much\"}");
                    report(agent, request, McpRequestId.of("of nobody"), "notifications/progress", bad);
                    report(agent, request, request.requestId(), "notifications/progress", bad);
                    report(agent, request, request.requestId(), "notifications/unknown", RawJson.EMPTY_OBJECT);
                    return MessageMcpResponse.Result.of(answered(agent, request));
                })));

        assertThat(say(session, "call own.find " + QUERY)).contains("a.txt");
        assertThat(wire()).anyMatch(line -> line.contains("looking (1 of 2)"));
    }

    @Tag("MCP-15")
    @Test
    void twoSessionsWithOneServerOfTheClientHaveTheirReportsApart() throws Exception {
        ConnectedAgent agent = connect(
                way(Way.ACP),
                client.builder()
                        .on(
                                ClientMethods.MESSAGE_MCP,
                                (from, request) -> MessageMcpResponse.Result.of(answered(from, request))));
        Session first = open(agent);
        Session second = open(agent);

        for (Session session : List.of(first, second)) {
            assertThat(say(session, "call own.find " + QUERY)).contains("a.txt");
            assertThat(wire())
                    .anyMatch(line -> line.contains("looking (1 of 2)")
                            && line.contains(session.id().value()));
        }
    }

    @Tag("MCP-10")
    @Tag("MCX-31")
    @ParameterizedTest
    @EnumSource
    void aCallThatIsCancelledInterruptsItsTool(Way way) throws Exception {
        Session session = open(offer(way));

        Turn turn = session.prompt("call own.wait");
        runs.await();
        turn.cancel();

        interrupted.await();
        assertThat(turn.result().stopReason()).isEqualTo(StopReason.CANCELLED);
        assertThat(say(session, "call own.greet {\"name\":\"Ada\"}")).isEqualTo("Hello\nAda");
    }

    @Tag("MCP-16")
    @Tag("MCX-40")
    @ParameterizedTest
    @EnumSource
    void whatRunsForASessionEndsWithIt(Way way) throws Exception {
        ConnectedAgent agent = offer(way);
        Session session = open(agent);
        Session other = open(agent);

        Turn unused = session.prompt("call own.wait");
        runs.await();
        session.detach();

        interrupted.await();
        assertThat(say(other, "call own.fail")).isEqualTo("error: no luck today");
    }

    @Tag("MCP-25")
    @Tag("MCX-40")
    @Test
    void theAddressOfASessionThatEndedIsNotFoundAndTheLastOneClosesThePort() throws Exception {
        ConnectedAgent agent = offer(Way.HTTP);
        Session first = open(agent);
        Session second = open(agent);
        McpServer.Http address = (McpServer.Http) first.setup().mcpServers().getFirst();

        first.close();

        assertThat(post(address, "server/discover", "")).startsWith("HTTP/1.1 404");
        assertThat(say(second, "call own.fail")).isEqualTo("error: no luck today");
        second.close();
        assertThatThrownBy(() -> post(address, "server/discover", "")).isInstanceOf(IOException.class);
    }

    @Tag("MCP-04")
    @Tag("MCP-06")
    @Tag("MCX-40")
    @Test
    void aServerOfAnEndedSessionAndOneThatIsUnknownAreRefusedByName() throws Exception {
        LinkedBlockingQueue<RpcError> refusals = new LinkedBlockingQueue<>();
        ConnectedAgent agent = connect(way(Way.ACP), ToolServer.addTo(client.builder(), tools));
        Session session = open(agent);
        McpServer.Acp declared = (McpServer.Acp) session.setup().mcpServers().getFirst();
        assertThat(declared.serverId()).isNotEqualTo(tools.declaration().serverId());

        session.detach();

        for (McpServerAcpId id :
                List.of(declared.serverId(), tools.declaration().serverId())) {
            MessageMcpRequest request = MessageMcpRequest.builder(id, McpRequestId.of("1"), "tools/list")
                    .build();
            try {
                served().call(ClientMethods.MESSAGE_MCP, request);
            } catch (RpcError e) {
                refusals.add(e);
            }
        }
        assertThat(refusals).extracting(RpcError::code).containsExactly(-33001, -33001);
    }

    @Tag("MCP-21")
    @Test
    void argumentsThatDoNotMatchReachNoToolAndSayWhere() throws Exception {
        try (Connection mcp = alone()) {
            assertThat(called(
                            mcp, "find", "{\"file\":\"a\",\"unit\":\"WORDS\",\"ranges\":[{\"to\":1}],\"exact\":true}"))
                    .contains("\"isError\":true", "arguments.unit:", "arguments.ranges.0:");
            assertThat(called(mcp, "greet", "{\"name\":\"much too long\"}")).contains("arguments.name:");
            assertThatThrownBy(() -> called(mcp, "none", "{}")).hasMessageContaining("there is no tool none");
        }
    }

    @Tag("MCX-35")
    @Tag("MCP-23")
    @Tag("MCX-32")
    @Tag("MCX-34")
    @Test
    void aloneTheServerSpeaksBothErasOnOneConnection() throws Exception {
        try (Connection mcp = alone()) {
            RawJson greeting = mcp.call(
                    "initialize",
                    RawJson.parse(
                            "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{},\"clientInfo\":{\"name\":\"x\","
                                    + "\"version\":\"1\"}}"));
            assertThat(greeting.toString())
                    .contains("\"protocolVersion\":\"2025-06-18\"", "\"name\":\"own\"", "Ask first.");
            assertThat(mcp.call("ping", null)).isEqualTo(RawJson.EMPTY_OBJECT);
            assertThat(mcp.call("tools/list", null).toString())
                    .contains("\"description\":\"Where to look\"", "\"enum\":[\"LINES\",\"BYTES\"]")
                    .contains("\"required\":[\"from\"]")
                    .doesNotContain("resultType", "ttlMs", "cacheScope");

            assertThat(mcp.call("tools/list", RawJson.parse("{" + META + "}")).toString())
                    .contains("\"resultType\":\"complete\"", "\"ttlMs\":", "\"cacheScope\":\"private\"");
            assertThat(called(mcp, "folder", "{}")).contains("\"text\":\"none\"");
            assertThatThrownBy(() -> mcp.call("server/discover", RawJson.EMPTY_OBJECT))
                    .isInstanceOfSatisfying(
                            RpcError.class, e -> assertThat(e.code()).isEqualTo(-32602));
            assertThatThrownBy(() ->
                            mcp.call("tools/list", RawJson.parse("{" + META.replace("2026-07-28", "2030-01-01") + "}")))
                    .isInstanceOfSatisfying(
                            RpcError.class, e -> assertThat(e.code()).isEqualTo(-32022));
        }
    }

    private static String called(Connection mcp, String tool, String arguments) throws InterruptedException {
        return mcp.call(
                        "tools/call",
                        RawJson.parse("{\"name\":\"" + tool + "\",\"arguments\":" + arguments + "," + META + "}"))
                .toString();
    }

    /** Returns a connection to the server as a program. */
    private Connection alone() {
        MemoryTransport.Pair pair = MemoryTransport.pair();
        FutureTask<Boolean> serving = new FutureTask<>(() -> {
            tools.serve(pair.right());
            return true;
        });
        new Thread(serving).start();
        closing(serving::get);
        return Connection.builder(pair.left(), new Silent()).start();
    }

    private static final class Silent implements Handler {
        @Override
        public Acceptance request(IncomingRequest request) {
            throw RpcError.methodNotFound(request.method());
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    }

    // ---- HTTP

    @Tag("MCX-32")
    @Tag("SEC-09")
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    a request as it should be      | -             | -                             | 200
                    another host                   | Host          | example.com                   | 403
                    a page of the web              | Origin        | https://example.com           | 403
                    without the token              | Authorization | Bearer 0                      | 401
                    a body of another kind         | Content-Type  | text/plain                    | 415
                    nothing that can be answered   | Accept        | text/html                     | 406
                    a header that differs          | Mcp-Method    | tools/call                    | 400
                    another version than the body  | MCP-Protocol-Version | 2025-11-25             | 400
                    """)
    void overHttpARequestIsServedOnlyAsItShouldBe(String what, String header, String value, int status)
            throws Exception {
        try (ToolServer.Endpoint endpoint = tools.listen()) {
            String answer = post(endpoint.declaration(), "tools/list", header.equals("-") ? "" : header + ": " + value);

            assertThat(answer).as(what).startsWith("HTTP/1.1 " + status);
            if (status == 200) {
                assertThat(answer).contains("\"name\":\"greet\"");
            }
        }
    }

    @Test
    void overHttpAVersionThatIsNotThatOfTheHeaderIsAMismatchAlsoIfItIsUnknown() throws Exception {
        try (ToolServer.Endpoint endpoint = tools.listen()) {
            String body = request(1, "tools/list", META.replace("2026-07-28", "2030-01-01"));
            List<String> method = List.of("Mcp-Method: tools/list");

            assertThat(post(endpoint.declaration(), body, method, "MCP-Protocol-Version: 2026-07-28"))
                    .startsWith("HTTP/1.1 400")
                    .contains("-32020");
            assertThat(post(endpoint.declaration(), body, method, "MCP-Protocol-Version: 2030-01-01"))
                    .startsWith("HTTP/1.1 400")
                    .contains("-32022");
        }
    }

    @Tag("MCX-35")
    @Tag("MCX-34")
    @Test
    void overHttpAClientWithAHandshakeHasASessionAndCancelsByANotification() throws Exception {
        try (ToolServer.Endpoint endpoint = tools.listen()) {
            McpServer.Http server = endpoint.declaration();
            String greeting =
                    post(server, request(1, "initialize", "\"protocolVersion\":\"2025-11-25\""), List.of(), "");
            String session = session(greeting);
            assertThat(post(server, request(2, "tools/list", ""), List.of(session), ""))
                    .contains("\"name\":\"greet\"")
                    .doesNotContain("resultType");
            assertThat(post(server, request(2, "tools/list", ""), List.of("Mcp-Session-Id: other"), ""))
                    .startsWith("HTTP/1.1 404");
            assertThat(post(server, "tools/list", "")).startsWith("HTTP/1.1 200");

            FutureTask<String> waiting = new FutureTask<>(
                    () -> post(server, request(3, "tools/call", "\"name\":\"wait\""), List.of(session), ""));
            new Thread(waiting).start();
            runs.await();
            assertThat(post(server, request(3, "tools/list", ""), List.of(session), ""))
                    .startsWith("HTTP/1.1 400")
                    .contains("with this id");
            String cancelled =
                    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}";
            assertThat(post(server, cancelled, List.of(session), "")).startsWith("HTTP/1.1 202");

            interrupted.await();
            assertThat(waiting.get()).contains("-32800");
        }
    }

    @Test
    void overHttpAClientThatDoesNotReadHidesNotThatAnotherOneIsGone() throws Exception {
        CountDownLatch floods = new CountDownLatch(1);
        ToolServer both = ToolServer.builder("both", "1.0")
                .tool("flood", "Reports without end", call -> {
                    for (int i = 0; ; i++) {
                        call.progress(i, 0, "x".repeat(100_000));
                        floods.countDown();
                    }
                })
                .tool("wait", "Waits", call -> {
                    runs.countDown();
                    try {
                        new CountDownLatch(1).await();
                    } finally {
                        interrupted.countDown();
                    }
                    return null;
                })
                .build();
        try (ToolServer.Endpoint endpoint = both.listen();
                Socket unread = posted(endpoint.declaration(), "flood")) {
            floods.await();
            try (Socket leaves = posted(endpoint.declaration(), "wait")) {
                runs.await();
                assertThat(leaves.isConnected()).isTrue();
            }

            interrupted.await();
            assertThat(unread.isConnected()).isTrue();
        }
    }

    // ---- building

    record Endless(List<Endless> more) {}

    record Odd(Object any) {}

    @Test
    void whatCannotBeServedIsRefusedWhenItIsBuilt() {
        ToolServer.Builder builder = ToolServer.builder("x", "1").tool("a", "", call -> 1);

        assertThatThrownBy(() -> builder.tool("a", "", call -> 1)).hasMessageContaining("there is a tool a already");
        assertThatThrownBy(() -> builder.tool("b", "", Endless.class, (some, call) -> 1))
                .hasMessageContaining("contains itself");
        assertThatThrownBy(() -> builder.tool("b", "", Odd.class, (some, call) -> 1))
                .hasMessageContaining("java.lang.Object is not supported");
        assertThatThrownBy(() -> builder.tool("b", "", RawJson.parse("{\"type\":\"string\"}"), call -> 1))
                .hasMessageContaining("must have the type object");
    }
}
