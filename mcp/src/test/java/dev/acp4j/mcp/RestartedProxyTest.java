package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.Session;
import dev.acp4j.json.RawJson;
import dev.acp4j.process.Launch;
import dev.acp4j.proxy.Component;
import dev.acp4j.proxy.Conductor;
import dev.acp4j.proxy.RunningChain;
import dev.acp4j.rpc.Connection;
import dev.acp4j.rpc.Handler;
import dev.acp4j.rpc.IncomingRequest;
import dev.acp4j.rpc.MemoryTransport;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tools of a proxy that is a program, and is started again while sessions are open. */
class RestartedProxyTest extends McpSession {
    private final LinkedBlockingQueue<String> notices = new LinkedBlockingQueue<>();
    private @Nullable RunningChain chain;
    private @Nullable Transport agentSide;

    private Conductor conductor(Component.OnDeath policy, String... arguments) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        List<String> command = new ArrayList<>(List.of(
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ToolProxyProgram.class.getName()));
        command.addAll(List.of(arguments));
        Launch program = Launch.of(java, command);
        return Conductor.builder()
                .proxy(Component.of("tools", program).onDeath(policy))
                .agent(() -> Objects.requireNonNull(agentSide))
                .onNotice(notices::add)
                .build();
    }

    private Transport chained(Transport agent, Component.OnDeath policy) {
        agentSide = agent;
        MemoryTransport.Pair pair = MemoryTransport.pair();
        try {
            chain = closing(conductor(policy).start(pair.left()));
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
        return pair.right();
    }

    private void awaitNotice(String words) throws InterruptedException {
        String notice = notices.take();
        while (!notice.contains(words)) {
            notice = notices.take();
        }
    }

    @Tag("CON-15")
    @Tag("CON-21")
    @Test
    void toolsOfOpenSessionsAreServedAgainUnderTheSameIds() throws Exception {
        ConnectedAgent agent = connect(
                McpServers.builder().acp().required().asks(tool -> false).patience(Duration.ofSeconds(50)),
                client.builder(),
                transport -> chained(transport, Component.OnDeath.RESTART));
        RunningChain running = Objects.requireNonNull(chain);
        List<Session> sessions = new ArrayList<>(List.of(agent.newSession(with()), agent.newSession(with())));
        String first = say(sessions.get(0), "call own.pid");
        assertThat(first).endsWith(folder.toString());
        assertThat(say(sessions.get(1), "call own.pid")).isEqualTo(first);

        long pid = running.status().get(0).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        awaitNotice("started again");

        String second = say(sessions.get(0), "call own.pid");
        assertThat(second).endsWith(folder.toString()).isNotEqualTo(first);
        assertThat(say(sessions.get(1), "call own.pid")).isEqualTo(second);
        assertThat(say(sessions.get(1), "call own-more.greet")).isEqualTo("Hello!");

        running.reload(conductor(Component.OnDeath.RESTART));

        assertThat(say(sessions.get(0), "call own.pid"))
                .endsWith(folder.toString())
                .isNotEqualTo(second);
    }

    @Tag("CON-15")
    @Test
    void onlyServersOfSessionsThatAreStillOpenAreServedAgainEachForItsSession() throws Exception {
        ScriptedAgent scripted = new ScriptedAgent();
        MemoryTransport.Pair pair = MemoryTransport.pair();
        Connection by = closing(Connection.builder(pair.right(), scripted).start());
        ScriptedAgent ofClient = new ScriptedAgent();
        agentSide = pair.left();
        MemoryTransport.Pair front = MemoryTransport.pair();
        RunningChain running =
                closing(conductor(Component.OnDeath.RESTART, "by session").start(front.left()));
        Connection asking = closing(Connection.builder(front.right(), ofClient).start());
        RawJson unused = asking.call("initialize", RawJson.parse("{\"protocolVersion\":1,\"clientCapabilities\":{}}"));
        for (int i = 0; i < 4; i++) {
            unused = asking.call("session/new", RawJson.parse("{\"cwd\":\"/w\",\"mcpServers\":[]}"));
        }
        List<String> ids = List.copyOf(scripted.servers);
        assertThat(tool(by, ids.get(3))).contains("session 3");
        unused = asking.call("session/close", RawJson.parse("{\"sessionId\":\"session 0\"}"));

        long pid = running.status().get(0).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        awaitNotice("started again");

        assertThat(tool(by, ids.get(2))).contains("session 2");
        assertThat(tool(by, ids.get(1))).contains("session 1");
        assertPassesToTheClient(by, ofClient, ids.get(0));
        assertPassesToTheClient(by, ofClient, ids.get(1) + "1");
        unused = asking.call("session/close", RawJson.parse("{\"sessionId\":\"session 2\"}"));
        assertPassesToTheClient(by, ofClient, ids.get(2));
        String setup = "{\"sessionId\":\"session 3\",\"cwd\":\"/w\",\"mcpServers\":[]}";
        unused = asking.call("session/load", RawJson.parse(setup));
        assertPassesToTheClient(by, ofClient, ids.get(3));
        assertThat(tool(by, scripted.servers.getLast())).contains("session 3");
    }

    private static String tool(Connection agent, String server) throws InterruptedException {
        return agent.call(
                        "mcp/message",
                        RawJson.parse("{\"serverId\":\"" + server
                                + "\",\"requestId\":\"r\",\"method\":\"tools/call\",\"params\":{\"name\":\"session\","
                                + "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                                + "\"io.modelcontextprotocol/clientCapabilities\":{}}}}"))
                .toString();
    }

    private static void assertPassesToTheClient(Connection agent, ScriptedAgent client, String server)
            throws InterruptedException {
        String unused = tool(agent, server);

        assertThat(client.methods.poll()).isEqualTo("mcp/message");
    }

    /** Opens sessions, and keeps the ids of the servers that these get, and the methods that it has not scripted. */
    private static final class ScriptedAgent implements Handler {
        final List<String> servers = new CopyOnWriteArrayList<>();
        final LinkedBlockingQueue<String> methods = new LinkedBlockingQueue<>();

        @Override
        public Acceptance request(IncomingRequest request) {
            String method = request.method();
            RawJson params =
                    request.params() == null ? RawJson.NULL : request.params().copy();
            return () -> () -> switch (method) {
                case "initialize" ->
                    RawJson.parse("{\"protocolVersion\":1,\"agentCapabilities\":{\"loadSession\":true,"
                            + "\"sessionCapabilities\":{\"close\":{}},\"mcpCapabilities\":{\"acp\":true}}}");
                case "session/new", "session/load" -> {
                    servers.add(Members.of(Members.of(params).list("mcpServers").getFirst())
                            .text("serverId", ""));
                    yield method.equals("session/load")
                            ? RawJson.EMPTY_OBJECT
                            : RawJson.parse("{\"sessionId\":\"session " + (servers.size() - 1) + "\"}");
                }
                default -> {
                    methods.add(method);
                    yield RawJson.EMPTY_OBJECT;
                }
            };
        }

        @Override
        public @Nullable Delivery notification(Message message) {
            return null;
        }
    }

    @Tag("CON-16")
    @Test
    void toolsOfAProxyThatIsLeftOutAreGoneAndThoseOfTheClientStay() throws Exception {
        ToolServer tools = ToolServer.builder("mine", "1")
                .tool("greet", "Greets", call -> "Hello!")
                .build();
        ConnectedAgent agent = connect(
                McpServers.builder().acp().required().asks(tool -> false).patience(Duration.ofSeconds(50)),
                ToolServer.addTo(client.builder(), tools),
                transport -> chained(transport, Component.OnDeath.BYPASS));
        Session session = agent.newSession(with(tools.declaration()));
        assertThat(say(session, "call own.pid")).endsWith(folder.toString());

        long pid = Objects.requireNonNull(chain).status().get(0).pid().orElseThrow();
        assertThat(ProcessHandle.of(pid).orElseThrow().destroyForcibly()).isTrue();
        awaitNotice("left out");

        assertThat(say(session, "call own.pid")).startsWith("error: ").contains("there is no MCP server own-");
        assertThat(wire()).anyMatch(line -> line.contains("-33001"));
        assertThat(say(session, "call mine.greet")).isEqualTo("Hello!");
        assertThat(say(agent.newSession(with(tools.declaration())), "tools")).isEqualTo("mine__greet");
    }
}
