package dev.acp4j.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Feature;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.SessionSetup;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.AvailableCommand;
import dev.acp4j.schema.McpServer;
import dev.acp4j.schema.Notice;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
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
    @Tag("MCX-15")
    void promptsOfServersAreCommandsWhoseTextIsShownAndSearchedFor() throws Exception {
        Files.writeString(folder.resolve("RainGauge.java"), "/** Measures rain. */\nclass RainGauge {}\n");
        LinkedBlockingQueue<List<AvailableCommand>> offered = new LinkedBlockingQueue<>();
        try (Editor client = Editor.of(
                ReferenceAgent.create(),
                builder -> builder.onEvent((session, event) -> {
                    if (event instanceof SessionEvent.CommandsChanged changed) {
                        offered.add(changed.commands());
                    }
                }))) {
            Session session = client.agent().newSession(SessionSetup.in(folder).withMcpServers(List.of(weather())));
            List<AvailableCommand> commands = offered.take();
            while (!commands.getLast().name().equals("weather:ask")) {
                commands = offered.take();
            }

            assertThat(commands).extracting(AvailableCommand::name).contains("files", "help");
            assertThat(session.prompt("/weather:ask rain").text())
                    .contains("> Where is RainGauge?")
                    .contains("RainGauge.java:2");
            assertThat(session.prompt("/weather:ask what=a b").text())
                    .contains("That did not work: /weather:ask [what]: it takes no more than that: b");
        }
    }

    @Test
    @Tag("MCX-20")
    void whatAServerLogsIsANoticeWithItsNameAndLevelUpToABound() throws Exception {
        Session session = open(weather());

        assertThat(session.prompt("/call weather.forecast {\"city\":\"Oslo\"}").text())
                .contains("rain");

        List<Notice> notices = session.view().notices();
        assertThat(notices).hasSize(ServerLogs.MOST);
        assertThat(notices.getFirst().title()).isEqualTo("MCP server weather: error (sky)");
        assertThat(notices.getFirst().description()).isEqualTo("cloud 0");
        // No half of what is two characters.
        assertThat(notices.get(1).description()).isEqualTo("cloud 1" + "x".repeat(992) + "…");
        assertThat(notices.getLast().description()).startsWith("cloud 19").endsWith("is not shown.");
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
