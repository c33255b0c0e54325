package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Client;
import dev.acp4j.Session;
import dev.acp4j.mcp.McpBridge;
import dev.acp4j.mcp.ToolServer;
import dev.acp4j.proxy.Proxy;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.schema.AgentMethods;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Version;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class AddedMcpServersTest {
    private static final McpServer FILES = McpServer.Stdio.of("files", "/bin/files", List.of("-v"), List.of());
    private static final McpServer ISSUES = McpServer.Http.of("issues", "https://example.com/mcp", List.of());

    private final List<String> notices = new ArrayList<>();

    private AddedMcpServers.Builder builder() {
        return AddedMcpServers.builder(() -> List.of(FILES, ISSUES)).onNotice(notices::add);
    }

    @Test
    @Tag("PRX-26")
    void serversComeBehindThoseOfTheClientInEachWayToOpenASession() throws Exception {
        String own = "{\"name\":\"own\",\"command\":\"/bin/own\",\"args\":[],\"env\":[],\"x\":1.50}";
        try (Between between =
                new Between(builder().build(), 1, ",\"agentCapabilities\":{\"mcpCapabilities\":{\"http\":true}}")) {
            for (String method : List.of("session/new", "session/load", "session/resume", "session/fork")) {
                String params = "{\"sessionId\":\"s\",\"cwd\":\"/a\",\"mcpServers\":[" + own + "]}";
                assertThat(between.asked(method, params, "{\"sessionId\":\"s\"}"))
                        .as(method)
                        .contains("[" + own + ",")
                        .containsSubsequence("\"files\"", "[\"-v\"]", "\"issues\"", "https://example.com/mcp");
            }
            assertThat(between.asked("session/resume", "{\"sessionId\":\"s\",\"cwd\":\"/a\"}", "{}"))
                    .contains("\"files\"");
        }
        assertThat(notices).isEmpty();
    }

    @Test
    void aNameThatTheClientUsesAndWhatTheAgentCannotTakeAreLeftOutAndSaidOnce() throws Exception {
        String own = "{\"name\":\"files\",\"command\":\"/bin/own\",\"args\":[],\"env\":[]}";
        String params = "{\"cwd\":\"/a\",\"mcpServers\":[" + own + "]}";
        try (Between between = new Between(builder().build(), 1, "")) {
            assertThat(between.asked("session/new", params, "{\"sessionId\":\"s\"}"))
                    .isEqualTo(params);
            assertThat(between.asked("session/new", params, "{\"sessionId\":\"t\"}"))
                    .isEqualTo(params);
        }
        assertThat(notices)
                .containsExactly(
                        "The MCP server files is not added: the client has one of that name.",
                        "The MCP server issues is not added: this agent cannot connect to it.");
    }

    @Test
    void inVersion2EachTransportHasToBeOffered() throws Exception {
        String answer =
                ",\"info\":{\"name\":\"a\",\"version\":\"1\"},\"capabilities\":{\"session\":{\"mcp\":{\"http\":{}}}}";
        try (Between between = new Between(builder().build(), 2, answer)) {
            assertThat(between.asked("session/new", "{\"cwd\":\"/a\"}", "{\"sessionId\":\"s\"}"))
                    .contains("\"issues\"")
                    .doesNotContain("\"files\"");
        }
    }

    @Test
    void serversOfAFolderAreForSessionsInItOnly() throws Exception {
        try (Between between = new Between(builder().in(Path.of("/a/b")).build(), 1, "")) {
            assertThat(between.opened("/a/b/c")).contains("\"files\"");
            assertThat(between.opened("/a/b/../c")).doesNotContain("\"files\"");
            assertThat(between.opened("/a/bc")).doesNotContain("\"files\"");
        }
    }

    @Test
    void aSourceThatCannotBeReadLeavesTheSessionAsItIs() throws Exception {
        AddedMcpServers.Builder broken = AddedMcpServers.builder(() -> {
            throw new IOException("servers.json: permission denied");
        });
        try (Between between = new Between(broken.onNotice(notices::add).build(), 1, "")) {
            assertThat(between.opened("/a")).isEqualTo("{\"cwd\":\"/a\",\"mcpServers\":[]}");
        }
        assertThat(notices).containsExactly("MCP servers are missing in this session: servers.json: permission denied");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("RMP-08")
    @Tag("RMP-14")
    @Tag("RMP-23")
    void callsOfAServerOverHttpThatIsRelayedPassTheProxies(boolean overAcp) throws Exception {
        ToolServer tools = ToolServer.builder("issues", "1")
                .tool("drop", "Drops all", call -> "dropped")
                .tool("key", "Tells the key", call -> {
                    call.progress(1, 2, "telling");
                    return "ghp_0123456789abcdefABCDEF0123456789abcd";
                })
                .build();
        List<String> passed = new CopyOnWriteArrayList<>();
        try (ToolServer.Endpoint remote = tools.listen();
                McpBridge bridge = new McpBridge(notices::add)) {
            Proxy chain = bridge.relay()
                    .then(AddedMcpServers.of(remote.declaration()))
                    .then(ToolFilter.builder().deny("drop").build())
                    .then(SecretPlaceholders.of(Redaction.SECRETS))
                    .then(Proxy.builder("counts", "1")
                            .onNotification(AgentMethods.MESSAGE_MCP, (report, hop) -> {
                                passed.add(report.method());
                                hop.forward();
                            })
                            .build())
                    .then(bridge.proxy());
            try (AskingAgent agent = new AskingAgent(chain, Client.builder("editor", "1"), Version.V1, overAcp)) {
                Session session = agent.client().newSession(Path.of("").toAbsolutePath());

                assertThat(session.prompt("tools").text()).isEqualTo("issues__key");
                assertThat(session.prompt("issues__drop {}").text()).doesNotContain("dropped");
                // The client gets the secret of the placeholder again.
                assertThat(session.prompt("issues__key {}").text()).startsWith("ghp_");
                assertThat(agent.said()).contains("{{secret-").doesNotContain("ghp_");
            }
        }
        assertThat(passed).contains("notifications/progress");
        assertThat(notices).isEmpty();
    }

    @Test
    @Tag("RMP-23")
    void anAgentWithoutHttpReachesAServerOverHttpThroughABridge() throws Exception {
        ToolServer tools = ToolServer.builder("issues", "1")
                .tool("count", "Counts issues", call -> {
                    call.progress(1, 2, "counting");
                    return "seven";
                })
                .build();
        try (ToolServer.Endpoint remote = tools.listen();
                McpBridge bridge = new McpBridge()) {
            Proxy added = AddedMcpServers.builder(() -> List.of(remote.declaration()))
                    .onNotice(notices::add)
                    .build();
            try (AskingAgent chain =
                    new AskingAgent(added.then(bridge.proxy()), Client.builder("editor", "1"), Version.V1)) {
                Session session = chain.client().newSession(Path.of("").toAbsolutePath());

                assertThat(session.prompt("tools").text()).isEqualTo("issues__count");
                assertThat(session.prompt("issues__count {}").text()).isEqualTo("seven");
                assertThat(session.prompt("issues__none {}").text()).contains("issues__none");
            }
            try (AskingAgent chain = new AskingAgent(added, Client.builder("editor", "1"), Version.V1)) {
                Session session = chain.client().newSession(Path.of("").toAbsolutePath());

                assertThat(session.prompt("tools").text()).isEmpty();
            }
        }
        assertThat(notices).containsExactly("The MCP server issues is not added: this agent cannot connect to it.");
    }
}
