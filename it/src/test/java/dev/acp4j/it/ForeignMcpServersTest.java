package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.AgentTurn;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.mcp.ConnectedServer;
import dev.acp4j.mcp.McpServers;
import dev.acp4j.mcp.Tool;
import dev.acp4j.schema.McpServer;
import dev.acp4j.testkit.TestClient;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** MCP servers of other makers, of both eras, on standard input and output and over HTTP. */
@Timeout(300)
class ForeignMcpServersTest {
    @TempDir
    Path folder;

    private interface Talk {
        void with(Session session) throws Exception;
    }

    private static void answer(AgentTurn turn) throws InterruptedException {
        McpServers mcp = McpServers.of(turn);
        String[] words = turn.text().split(" ", 2);
        List<Tool> tools = mcp.tools(turn);
        if (words[0].equals("version")) {
            for (ConnectedServer server : mcp.servers()) {
                turn.message(server.protocolVersion().orElse(server.toString()) + " with " + tools.size());
            }
        } else {
            turn.message(mcp.call(turn, words[0], RawJson.parse(words[1])).text());
        }
    }

    private void talk(McpServer server, Talk talk) throws Exception {
        Agent agent = McpServers.builder()
                .http()
                .patience(Duration.ofMinutes(2))
                .addTo(Agent.builder("agent", "1").onPrompt(ForeignMcpServersTest::answer))
                .build();
        try (Transports ends = Transports.joined();
                ConnectedClient served = agent.connect(ends.agent());
                ConnectedAgent connected = TestClient.create().connect(ends.client())) {
            talk.with(connected.newSession(SessionSetup.in(folder).withMcpServers(List.of(server))));
            assertThat(served.rpc().isOpen()).isTrue();
        }
    }

    private static Path everything() throws IOException, InterruptedException {
        return NodePrograms.packageFolder("@modelcontextprotocol/server-everything", "2026.8.31")
                .resolve("dist/index.js");
    }

    private static Path sums() throws IOException, InterruptedException {
        Path installed = NodePrograms.packageFolder("@modelcontextprotocol/server", "2.4.0");
        Path program = installed.resolve("../../../mcp-server.mjs").normalize();
        return Files.copy(Path.of("src/test/node/mcp-server.mjs"), program, StandardCopyOption.REPLACE_EXISTING);
    }

    private static void useEverything(Session session) throws Exception {
        assertThat(session.prompt("version").text()).startsWith("2025-11-25 with ");
        assertThat(session.prompt("every__echo {\"message\":\"hi\"}").text()).isEqualTo("Echo: hi");
        assertThat(session.prompt("every__get-sum {\"a\":1,\"b\":2}").text()).contains("3");
        assertThat(session.prompt("every__trigger-elicitation-request {}").text())
                .contains("decline");
        assertThat(session.prompt("every__trigger-long-running-operation {\"duration\":1,\"steps\":3}")
                        .text())
                .contains("Steps: 3");
    }

    @Test
    @Tag("MCX-42")
    @Tag("MCX-01")
    @Tag("MCX-18")
    void theReferenceServerOnStandardInputAndOutput() throws Exception {
        talk(McpServer.Stdio.of("every", "node", List.of(everything().toString(), "stdio"), List.of()), session -> {
            useEverything(session);
            assertThat(session.prompt("every__get-roots-list {}").text())
                    .contains(folder.toUri().toString());
        });
    }

    @Test
    @Tag("MCX-42")
    @Tag("MCX-21")
    @Tag("MCX-24")
    void theReferenceServerOverHttpWithSessions() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        ProcessBuilder node = new ProcessBuilder("node", everything().toString(), "streamableHttp");
        node.environment().put("PORT", Integer.toString(port));
        Process server = node.redirectErrorStream(true).start();
        try (var output = server.inputReader()) {
            String line = output.readLine();
            while (line != null && !line.contains("listening")) {
                line = output.readLine();
            }

            talk(
                    McpServer.Http.of("every", "http://127.0.0.1:" + port + "/mcp", List.of()),
                    ForeignMcpServersTest::useEverything);
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    @Tag("MCX-42")
    void theServerForFilesWorksInTheFolderOfTheSessionOnly() throws Exception {
        Path program = NodePrograms.packageFolder("@modelcontextprotocol/server-filesystem", "2026.8.31")
                .resolve("dist/index.js");
        Path file = folder.resolve("notes.txt");
        Path outside = folder.resolveSibling("outside.txt");

        talk(
                McpServer.Stdio.of("files", "node", List.of(program.toString(), folder.toString()), List.of()),
                session -> {
                    assertThat(session.prompt("files__write_file " + arguments(file, ",\"content\":\"line 1\""))
                                    .text())
                            .contains("Successfully wrote");
                    assertThat(file).hasContent("line 1");
                    assertThat(session.prompt("files__read_text_file " + arguments(file, ""))
                                    .text())
                            .isEqualTo("line 1");
                    assertThat(session.prompt("files__read_text_file " + arguments(outside, ""))
                                    .text())
                            .contains("Access denied");
                });
    }

    private static String arguments(Path file, String more) {
        return "{\"path\":" + RawJson.string(file.toString()) + more + "}";
    }

    @Test
    @Tag("MCX-42")
    @Tag("MCX-24")
    void aServerOfTheTypeScriptSdkOnStandardInputAndOutput() throws Exception {
        talk(McpServer.Stdio.of("sums", "node", List.of(sums().toString(), "stdio"), List.of()), session -> {
            assertThat(session.prompt("version").text()).isEqualTo("2025-11-25 with 1");
            assertThat(session.prompt("sums__add {\"a\":1,\"b\":2}").text()).isEqualTo("3");
        });
    }

    @Test
    @Tag("MCX-42")
    @Tag("MCX-24")
    @Tag("MCX-25")
    void aServerOfTheTypeScriptSdkOverHttpIsModern() throws Exception {
        Process server = new ProcessBuilder("node", sums().toString(), "http")
                .redirectErrorStream(true)
                .start();
        try (var output = server.inputReader()) {
            String address = output.readLine();

            talk(McpServer.Http.of("sums", address, List.of()), session -> {
                assertThat(session.prompt("version").text()).isEqualTo("2026-07-28 with 1");
                assertThat(session.prompt("sums__add {\"a\":1,\"b\":2}").text()).isEqualTo("3");
            });
        } finally {
            server.destroyForcibly();
        }
    }
}
