package dev.acp4j.it;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.ConnectedClient;
import dev.acp4j.Feature;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.schema.McpServer;
import dev.acp4j.testkit.Transports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tools of a client of ours are used by the clients of MCP that agents of other makers have, of both eras at once. */
@Timeout(120)
class ForeignMcpClientsTest {
    @TempDir
    Path folder;

    record Sum(int a, int b) {}

    record Total(int total) {}

    private final CountDownLatch cancelled = new CountDownLatch(2);
    private final ToolServer tools = ToolServer.builder("sums", "1.0")
            .tool("add", "Adds", Sum.class, (sum, call) -> new Total(sum.a() + sum.b()))
            .tool("wait", "Waits", call -> {
                call.progress(0, 1, "waiting");
                try {
                    new CountDownLatch(1).await();
                } finally {
                    cancelled.countDown();
                }
                return null;
            })
            .tool("ended", "Waits until both clients have cancelled", call -> {
                cancelled.await();
                return "both have ended";
            })
            .build();

    @Tag("MCX-34")
    @Tag("MCX-42")
    @Tag("MCX-39")
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theTypeScriptSdkUsesTheToolsOfAClientInBothErasAtOnce(boolean overHttp) throws Exception {
        Path installed = NodePrograms.packageFolder("@modelcontextprotocol/client", "2.4.0");
        Path program = installed.resolve("../../../mcp-client.mjs").normalize();
        Files.copy(Path.of("src/test/node/mcp-client.mjs"), program, StandardCopyOption.REPLACE_EXISTING);
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
            McpServer server = session.setup().mcpServers().getFirst();

            Process legacy = start(program, "legacy", server);
            Process modern = start(program, "auto", server);

            String rest = """
                     sums
                    add wait ended
                    {"total":3}
                    true arguments.a:""";
            assertThat(McpClientProcess.output(legacy))
                    .startsWith("2025-11-25" + rest)
                    .endsWith("\nboth have ended\n");
            assertThat(McpClientProcess.output(modern))
                    .startsWith("2026-07-28" + rest)
                    .endsWith("\nboth have ended\n");
            assertThat(served.isOpen()).isTrue();
        }
    }

    private static Process start(Path program, String mode, McpServer server) throws IOException {
        return McpClientProcess.start(List.of("node", program.toString(), mode), server);
    }
}
