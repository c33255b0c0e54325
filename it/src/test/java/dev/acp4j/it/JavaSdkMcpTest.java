package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.it.mcpsdk.JavaSdkMcpClient;
import dev.acp4j.it.mcpsdk.JavaSdkMcpServer;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Tool;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.schema.ElicitationContentValue;
import dev.acp4j.schema.McpServer;
import dev.acp4j.testkit.TestClient;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The official Java SDK of MCP as a peer in processes of its own: its client of our tools, its server for our agents.
 */
@Timeout(180)
@Tag("MCX-42")
class JavaSdkMcpTest {
    private static final String JAVA =
            Path.of(System.getProperty("java.home"), "bin", "java").toString();

    @TempDir
    private Path folder;

    // ---- its client

    record Sum(int a, int b) {}

    record Person(String name) {}

    @Tag("MCX-34")
    @Tag("MCX-31")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itsClientUsesTheToolsOfAClientOfOurs(boolean overHttp) throws Exception {
        ToolServer tools = ToolServer.builder("sums", "1.0")
                .tool("add", "Adds", Sum.class, (sum, call) -> String.valueOf(sum.a() + sum.b()))
                .tool(
                        "ask",
                        "Asks",
                        call -> call.ask("Who?", Person.class).map(Person::name).orElse("nobody"))
                .tool("slow", "Reports", call -> {
                    call.progress(1, 2, "half");
                    return "done";
                })
                .build();
        Agent.Builder agent = Agent.builder("agent", "1").onPrompt(turn -> {}).supports(Feature.MCP_STDIO);
        if (overHttp) {
            agent.supports(Feature.MCP_HTTP);
        }
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.build().connect(ends.agent());
                ConnectedAgent connected =
                        ToolServer.addTo(Client.builder("client", "1"), tools).connect(ends.client())) {
            Session session =
                    connected.newSession(SessionSetup.in(folder).withMcpServers(List.of(tools.declaration())));

            String said =
                    McpClientProcess.output(start(session.setup().mcpServers().getFirst()));

            assertThat(said.lines())
                    .contains(
                            "2025-11-25 sums",
                            "tool add",
                            "tool ask",
                            "tool slow",
                            "add 3",
                            "ask Who? Ada",
                            "progress half",
                            "slow done")
                    .anyMatch(line -> line.startsWith("add failed arguments"));
            assertThat(served.isOpen()).isTrue();
        }
    }

    private static Process start(McpServer server) throws IOException {
        return McpClientProcess.start(
                List.of(JAVA, "-cp", System.getProperty("java.class.path"), JavaSdkMcpClient.class.getName()), server);
    }

    // ---- its server

    @Tag("MCX-01")
    @Tag("MCX-18")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAgentOfOursUsesItsServer(boolean overHttp) throws Exception {
        List<String> arguments =
                List.of("-cp", System.getProperty("java.class.path"), JavaSdkMcpServer.class.getName());
        if (!overHttp) {
            List<String> all = new ArrayList<>(arguments);
            all.add("stdio");
            use(McpServer.Stdio.of("sums", JAVA, all, List.of()));
            return;
        }
        List<String> command = new ArrayList<>(List.of(JAVA));
        command.addAll(arguments);
        command.add("http");
        Process server = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (var output = server.inputReader()) {
            use(McpServer.Http.of("sums", output.readLine(), List.of()));
        } finally {
            server.destroyForcibly();
        }
    }

    private void use(McpServer server) throws Exception {
        Agent agent = McpServers.builder()
                .http()
                .patience(Duration.ofMinutes(2))
                .addTo(Agent.builder("agent", "1").onPrompt(JavaSdkMcpTest::answer))
                .build();
        TestClient client = TestClient.create();
        client.fill(Map.of("name", ElicitationContentValue.of("Ada")));
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.connect(ends.agent());
                ConnectedAgent connected = client.connect(ends.client())) {
            Session session = connected.newSession(SessionSetup.in(folder).withMcpServers(List.of(server)));

            assertThat(say(session, "tools")).isEqualTo("2025-11-25 sums.add sums.ask sums.slow sums.fail");
            assertThat(say(session, "sums.add {\"a\":1,\"b\":2}")).isEqualTo("3");
            assertThat(say(session, "sums.add {\"a\":1}")).startsWith("error: arguments");
            assertThat(say(session, "sums.ask {}")).isEqualTo("ACCEPT {name=Ada}");
            assertThat(say(session, "sums.slow {}")).isEqualTo("done");
            assertThat(say(session, "sums.fail {}")).startsWith("error: ").contains("no luck today");
            assertThat(served.isOpen()).isTrue();
        }
    }

    private static String say(Session session, String prompt) throws Exception {
        return session.prompt(prompt).text();
    }

    private static void answer(AgentTurn turn) throws InterruptedException {
        McpServers mcp = McpServers.of(turn);
        String[] words = turn.text().split(" ", 2);
        if (words[0].equals("tools")) {
            List<Tool> tools = mcp.tools(turn);
            turn.message(mcp.servers().getFirst().protocolVersion().orElse("none"));
            for (Tool tool : tools) {
                turn.message(" " + tool.fullName());
            }
            return;
        }
        var result = mcp.call(turn, words[0], RawJson.parse(words[1]));
        turn.message((result.isError() ? "error: " : "") + result.text());
    }
}
