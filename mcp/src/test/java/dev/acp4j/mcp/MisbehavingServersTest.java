package dev.acp4j.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.acp4j.Session;
import dev.acp4j.rpc.Message;
import dev.acp4j.schema.McpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a server does wrong is a failure of that server, or of the call, and names it; no turn waits for it. */
@DisabledOnOs(OS.WINDOWS)
class MisbehavingServersTest extends McpSession {
    private static final String GREETS =
            "answer '\"result\":{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"o\",\"version\":\"1\"}}'";
    private static final String LISTS =
            "answer '\"result\":{\"tools\":[{\"name\":\"use\",\"inputSchema\":{\"type\":\"object\"}}]}'";
    private static final String RUNS = "answer '\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"used\"}]}'";

    /** Returns a server with one tool, {@code use}; what it does instead of answering is put in. */
    private static McpServer server(String greets, String lists, String runs) {
        String script = """
            answer() { printf '{"jsonrpc":"2.0","id":%%s,%%s}\\n' "$id" "$1"; }
            n=0
            while read -r line; do
              id=${line#*'"id":'}; id=${id%%%%[,\\}]*}
              case "$line" in
                *'"initialize"'*) %s;;
                *'"notifications/'*) ;;
                *'"tools/list"'*) %s;;
                *'"tools/call"'*) %s;;
                *) answer '"error":{"code":-32601,"message":"unknown"}';;
              esac
            done
            """.formatted(greets, lists, runs);
        return McpServer.Stdio.of("odd", "sh", List.of("-c", script), List.of());
    }

    private Session open(McpServers.Builder mcp, McpServer server) throws Exception {
        return connect(mcp.asks(tool -> false).patience(Duration.ofSeconds(50))).newSession(with(server));
    }

    @Tag("MCX-43")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    a text instead of an object     | answer '"result":"hello"'                                   | the server speaks version "" of MCP, which is not supported
                    null instead of an object       | answer '"result":null'                                      | the server speaks version ""
                    no version                      | answer '"result":{}'                                        | the server speaks version ""
                    a number as its version         | answer '"result":{"protocolVersion":7}'                     | the server speaks version ""
                    a version of the future         | answer '"result":{"protocolVersion":"2999-01-01"}'          | the server speaks version "2999-01-01" of MCP
                    an error without a message      | answer '"error":{"code":1}'                                 | "error" needs an integer "code" and a string "message"
                    a code that is a text           | answer '"error":{"code":"1","message":"m"}'                 | "error" needs an integer "code"
                    an error that is null           | answer '"error":null'                                       | "error" needs an integer "code"
                    a result and an error           | answer '"result":{},"error":{"code":1,"message":"m"}'       | both "result" and "error"
                    neither result nor error        | answer '"x":1'                                              | neither "result" nor "error"
                    both eras refused               | answer '"error":{"code":-32601,"message":"no handshake"}'   | the server refused: no handshake
                    its end                         | exit 5                                                      | its process ended with exit code 5
                    the end of its output           | exec 1>&-                                                   | its process ended
                    half an answer and its end      | printf '{"jsonrpc":"2.0","id'; exit 0                       | its process ended with exit code 0
                    """)
    void insteadOfAGreeting(String what, String greets, String told) throws Exception {
        Session session = open(McpServers.builder(), server(greets, LISTS, RUNS));

        assertThat(say(session, "servers")).as(what).startsWith("odd (FAILED)").contains(told);
        assertThat(say(session, "call odd.use")).isEqualTo("error: there is no tool odd.use");
    }

    @Tag("MCX-43")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    an error                        | answer '"error":{"code":-32603,"message":"no list today"}'  | list tools: the server refused: no list today
                    its end                         | exit 6                                                      | list tools: its process ended with exit code 6
                    pages without end               | n=$((n+1)); answer '"result":{"tools":[],"nextCursor":"'$n'"}' | or has more than 100 of them
                    an answer that is malformed     | answer '"result":{"tools":[],"nextCursor":1'                | no answer to tools/list within
                    """)
    void insteadOfAListOfTools(String what, String lists, String told) throws Exception {
        Session session = open(
                McpServers.builder().listTime(Duration.ofSeconds(what.contains("malformed") ? 1 : 50)),
                server(GREETS, lists, RUNS));

        assertThat(say(session, "servers")).as(what).startsWith("odd (FAILED)").contains(told);
    }

    @Tag("MCX-43")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    its end                         | exit 9                                                      | the call is not repeated
                    an error without a message      | answer '"error":{"code":1}'                                 | "error" needs an integer "code" and a string "message"
                    neither result nor error        | answer '"x":1'                                              | neither "result" nor "error"
                    an answer to something else     | id=4711; answer '"result":{}'                               | did not answer in time
                    """)
    void insteadOfAResult(String what, String runs, String told) throws Exception {
        Session session = open(
                McpServers.builder()
                        .callTime(Duration.ofSeconds(what.contains("else") ? 1 : 50), Duration.ofSeconds(50)),
                server(GREETS, LISTS, runs));

        assertThat(say(session, "call odd.use"))
                .as(what)
                .startsWith("error: ")
                .contains("MCP server odd")
                .contains(told);
    }

    @Tag("MCX-43")
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    a page for people               | 200 | text/html         | <html>                                     | the answer ended without a result
                    nothing                         | 200 | application/json  | ``                                         | answered HTTP 200
                    what is no JSON                 | 200 | application/json  | {"jsonrpc":                                | the answer ended without a result
                    an answer to something else     | 200 | application/json  | {"jsonrpc":"2.0","id":4711,"result":{}}    | the answer ended without a result
                    half an event                   | 200 | text/event-stream | data: {"jsonrpc":                          | the answer ended without a result
                    an event that is no message     | 200 | text/event-stream | data: hello~~                              | the answer ended without a result
                    a page that is not there        | 404 | text/html         | <html>                                     | answered HTTP 404
                    a failure                       | 500 | text/plain        | oops                                       | answered HTTP 500
                    too many requests               | 429 | text/plain        | slow down                                  | answered HTTP 429
                    """)
    void overHttp(String what, int status, String type, String body, String told) throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        closing(() -> http.stop(0));
        http.createContext("/", exchange -> answer(exchange, status, type, body.replace('~', '\n')));
        http.start();
        McpServer.Http server =
                McpServer.Http.of("odd", "http://127.0.0.1:" + http.getAddress().getPort() + "/mcp", List.of());

        Session session = open(McpServers.builder().http(), server);

        assertThat(say(session, "servers")).as(what).startsWith("odd (FAILED)").contains(told);
    }

    @Tag("MCX-24")
    @Test
    void aPageForPeopleInsteadOfAnErrorIsThatOfAServerWithAHandshake() throws Exception {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        closing(() -> http.stop(0));
        http.createContext("/", exchange -> {
            Message message =
                    Message.parse(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            String result = switch (message.method()) {
                case "initialize" ->
                    "{\"protocolVersion\":\"2025-06-18\",\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"o\",\"version\":\"1\"}}";
                case "tools/list" -> "{\"tools\":[{\"name\":\"use\",\"inputSchema\":{\"type\":\"object\"}}]}";
                default -> "";
            };
            if (result.isEmpty()) {
                answer(exchange, 404, "text/html", "<html>Cannot POST /mcp</html>");
            } else {
                String json = "{\"jsonrpc\":\"2.0\",\"id\":" + message.id() + ",\"result\":" + result + "}";
                answer(exchange, 200, "application/json", json);
            }
        });
        http.start();
        McpServer.Http server =
                McpServer.Http.of("old", "http://127.0.0.1:" + http.getAddress().getPort() + "/mcp", List.of());

        Session session = open(McpServers.builder().http(), server);

        assertThat(say(session, "tools")).isEqualTo("old__use");
        assertThat(say(session, "servers")).isEqualTo("old (READY) 2025-06-18");
    }

    private static void answer(HttpExchange exchange, int status, String type, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
