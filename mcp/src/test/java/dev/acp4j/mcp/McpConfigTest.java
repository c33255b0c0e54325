package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.ConnectedAgent;
import dev.acp4j.schema.EnvVariable;
import dev.acp4j.schema.HttpHeader;
import dev.acp4j.schema.McpServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class McpConfigTest extends McpSession {
    @Tag("MCX-27")
    @Test
    void aFileOfOtherClientsIsReadWithVariablesAndDefaults() throws Exception {
        McpConfig config = McpConfig.parse("""
                {"mcpServers": {
                  "files": {"command": "npx", "args": ["-y", "${PACKAGE}"], "env": {"MODE": "${MODE:-fast}"}, "timeout": 5},
                  "issues": {"url": "https://${HOST}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}},
                  "web": {"type": "streamable-http", "url": "http://127.0.0.1:1/mcp"},
                  "old": {"type": "sse", "url": "https://example.com/sse"}}, "other": 1}
                """, Map.of("PACKAGE", "server", "HOST", "example.com", "TOKEN", "t"));

        assertThat(config.servers())
                .containsExactly(
                        McpServer.Stdio.of(
                                "files", "npx", List.of("-y", "server"), List.of(EnvVariable.of("MODE", "fast"))),
                        McpServer.Http.of(
                                "issues",
                                "https://example.com/mcp",
                                List.of(HttpHeader.of("Authorization", "Bearer t"))),
                        McpServer.Http.of("web", "http://127.0.0.1:1/mcp", List.of()),
                        McpServer.Sse.of("old", "https://example.com/sse", List.of()));
    }

    @Tag("MCX-27")
    @Test
    void errorsSayWhereAndWhichVariableIsMissing() throws Exception {
        Path file = Files.writeString(
                folder.resolve("a.json"), "{\"mcpServers\": {\n  \"a\": {\"command\": \"${NO_SUCH_VARIABLE_4711}\"}}}");

        assertThatThrownBy(() -> McpConfig.read(file))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a.json: line 2, column 8")
                .hasMessageContaining("NO_SUCH_VARIABLE_4711");
        assertThatThrownBy(() -> McpConfig.parse("{\n \"mcpServers\": {,", Map.of()))
                .hasMessageContaining("line 2");
        assertThatThrownBy(() -> McpConfig.parse("{\"mcpServers\":{\"a\":{}}}", Map.of()))
                .hasMessageContaining("\"a\"")
                .hasMessageContaining("url");
        assertThatThrownBy(() -> McpConfig.parse("[]", Map.of())).hasMessageContaining("mcpServers");
        Path latin = Files.write(folder.resolve("latin.json"), new byte[] {'{', '"', (byte) 0xe4, '"', '}'});
        assertThatThrownBy(() -> McpConfig.read(latin))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(latin + ": expected text in UTF-8");
    }

    @Tag("MCX-27")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    "command": "npx", "args": "-y some-server"              | expected an array as "args"
                    "command": "npx", "env": ["A=b"]                        | expected an object as "env"
                    "url": "http://h/mcp", "headers": "Authorization: x"    | expected an object as "headers"
                    "url": "http://h/mcp", "headers": {"Host": "x"}         | the header Host is set by the HTTP client and cannot be given
                    "url": "http://h/mcp", "headers": {"a b": "x"}          | "a b" is not the name of a header
                    "url": "http://h/mcp", "headers": {"X-Key": "${TOKEN}"} | the value of the header X-Key has a line break
                    """)
    void whatHasTheWrongShapeIsAnErrorWithItsPlaceAndWithoutItsValue(String members, String problem) {
        String file = "{\"mcpServers\": {\n  \"a\": {" + members + "}}}";

        assertThatThrownBy(() -> McpConfig.parse(file, Map.of("TOKEN", "kanarienvogel\n")))
                .hasMessageContaining("line 2, column 8: the server \"a\": " + problem)
                .hasMessageNotContaining("kanarienvogel");
    }

    @Tag("MCX-27")
    @Test
    void aServerThatIsDisabledIsLeftOut() {
        McpConfig config = McpConfig.parse(
                "{\"mcpServers\":{\"a\":{\"command\":\"a\",\"disabled\":true},"
                        + "\"b\":{\"command\":\"b\",\"disabled\":false}}}",
                Map.of());

        assertThat(config).hasToString("[b]");
    }

    @Tag("MCX-29")
    @Test
    void aServerIsWrittenInOneLine() {
        McpConfig config = McpConfig.empty()
                .with("files=MODE=fast npx -y 'a server'")
                .with("web=https://example.com/mcp")
                .withHeader("web", "X-Team", "blue");

        assertThat(config.servers())
                .containsExactly(
                        McpServer.Stdio.of(
                                "files", "npx", List.of("-y", "a server"), List.of(EnvVariable.of("MODE", "fast"))),
                        McpServer.Http.of("web", "https://example.com/mcp", List.of(HttpHeader.of("X-Team", "blue"))));
        assertThatThrownBy(() -> config.withHeader("files", "a", "b")).hasMessageContaining("files");
        assertThatThrownBy(() -> config.with("nothing")).hasMessageContaining("NAME=COMMAND");
    }

    @Tag("MCX-29")
    @Test
    void whatAnAgentDoesNotOfferIsKnownBeforeASessionOpens() throws Exception {
        ConnectedAgent plain = connect(McpServers.builder());

        assertThat(McpConfig.empty().with("a=b").unsupported(plain)).isEmpty();
        assertThat(McpConfig.empty().with("web=http://127.0.0.1:1/").unsupported(plain))
                .hasValue("the agent does not offer MCP servers over HTTP, which the server \"web\" needs");
    }
}
