package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Feature;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.McpServer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tools of MCP servers, as the offline agent offers them. */
@Timeout(60)
class ReferenceAgentToolsTest {
    @TempDir
    Path folder;

    private Editor editor;

    @BeforeEach
    void begin() throws Exception {
        editor = Editor.of(ReferenceAgent.create());
    }

    @AfterEach
    void end() {
        editor.close();
    }

    private Session open(McpServer... servers) throws Exception {
        return editor.agent().newSession(SessionSetup.in(folder).withMcpServers(List.of(servers)));
    }

    private static McpServer weather() {
        return McpServer.Stdio.of(
                "weather",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                List.of("-cp", System.getProperty("java.class.path"), ToolServer.class.getName()),
                List.of());
    }

    @Test
    @Tag("MCX-01")
    void toolsOfAServerAreListedAndCalledAfterAsking() throws Exception {
        Session session = open(weather());

        assertThat(session.prompt("/tools").text()).contains("`weather.forecast`: `Tells the weather`");
        assertThat(session.prompt("/call weather.forecast {\"city\":\"Oslo\"}").text())
                .contains("rain");
        assertThat(session.prompt("/call weather.forecast").text()).contains("failed", "city");
        assertThat(editor.asked())
                .singleElement()
                .extracting(PermissionQuestion::title)
                .isEqualTo("weather.forecast");
    }

    @Test
    @Tag("MCX-01")
    @Tag("MCX-44")
    void aToolOfTheClientIsCalledOverItsConnection() throws Exception {
        var own = dev.acp4j.mcp.ToolServer.builder("own", "1")
                .tool("greet", "Greets", call -> "Hello from the client!")
                .build();
        try (Editor client =
                Editor.of(ReferenceAgent.create(), builder -> dev.acp4j.mcp.ToolServer.addTo(builder, own))) {
            assertThat(client.agent().supports(Feature.MCP_ACP)).isTrue();
            Session session =
                    client.agent().newSession(SessionSetup.in(folder).withMcpServers(List.of(own.declaration())));

            assertThat(session.prompt("/tools").text()).contains("`own.greet`: `Greets`");
            assertThat(session.prompt("/call own.greet").text()).contains("Hello from the client!");
        }
    }

    @Test
    void whatCannotBeCalledIsSaid() throws Exception {
        Session session = open(weather());

        assertThat(session.prompt("/call").text()).contains("which tool?");
        assertThat(session.prompt("/call weather.storm").text()).contains("there is no tool weather.storm");
        assertThat(session.prompt("/call weather.forecast {oops").text()).contains("not JSON");
        session.setConfigOption("mode", "read-only");
        assertThat(session.prompt("/call weather.forecast {\"city\":\"Oslo\"}").text())
                .contains("read-only");
        assertThat(editor.asked()).isEmpty();
        assertThat(open().prompt("/tools").text()).contains("no MCP servers");
    }

    @Test
    @Tag("MCX-02")
    void aServerThatFailsIsShownWithItsReason() throws Exception {
        Session session = open(McpServer.Stdio.of("broken", "/bin/false", List.of(), List.of()));

        assertThat(session.prompt("/tools").text()).contains("`broken`** is not connected", "exit code 1");
    }

    @Test
    @Tag("MCX-01")
    @Tag("MCX-02")
    void aServerOfAKindThatIsNotOfferedIsRefused() throws Exception {
        assertThat(editor.agent().supports(Feature.MCP_HTTP)).isTrue();
        assertThat(editor.agent().supports(Feature.MCP_SSE)).isFalse();

        assertThatThrownBy(
                        () -> editor.agent()
                                .call(
                                        "session/new",
                                        RawJson.parse(
                                                "{\"cwd\":" + RawJson.string(folder.toString())
                                                        + ",\"mcpServers\":[{\"type\":\"sse\",\"name\":\"old\",\"url\":\"http://127.0.0.1:1\",\"headers\":[]}]}")))
                .hasMessageContaining("\"old\"");
    }
}
