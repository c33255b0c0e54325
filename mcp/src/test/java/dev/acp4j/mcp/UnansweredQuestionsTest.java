package dev.acp4j.mcp;

import static dev.acp4j.mcp.HttpPosts.post;
import static dev.acp4j.mcp.HttpPosts.posted;
import static dev.acp4j.mcp.HttpPosts.request;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.schema.McpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** No tool waits for clients over HTTP, with a handshake, that cannot or will not answer. */
@Timeout(60)
class UnansweredQuestionsTest {
    record Name(String name) {}

    private final LinkedBlockingQueue<String> ends = new LinkedBlockingQueue<>();
    private final CountDownLatch runs = new CountDownLatch(1);
    private final ToolServer tools = ToolServer.builder("asks", "1.0")
            .tool("ask", "Asks", call -> {
                try {
                    String answer = call.ask("Who?", Name.class).map(Name::name).orElse("nobody");
                    ends.add(answer);
                    return answer;
                } catch (InterruptedException e) {
                    ends.add("interrupted");
                    throw e;
                }
            })
            .tool("wait", "Waits", call -> {
                runs.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    ends.add("interrupted");
                    throw e;
                }
                return null;
            })
            .build();
    private ToolServer.Endpoint endpoint;
    private McpServer.Http server;
    private String session;

    @BeforeEach
    void greet() throws IOException {
        endpoint = tools.listen();
        server = endpoint.declaration();
        String hello = "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{\"elicitation\":{}}";
        session = post(server, request(1, "initialize", hello), List.of(), "")
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("mcp-session-id:"))
                .findFirst()
                .orElseThrow();
    }

    @AfterEach
    void close() {
        endpoint.close();
    }

    @Test
    @Tag("MCX-35")
    void aClientThatLeavesHasAnsweredNothing() throws Exception {
        try (Socket call = call("ask")) {
            String unused = question(call);
        }

        assertThat(ends.take()).isEqualTo("nobody");
    }

    @Test
    @Tag("MCX-35")
    void aClientThatAnswersWithAnErrorHasAnsweredNothing() throws Exception {
        try (Socket call = call("ask")) {
            say("{\"jsonrpc\":\"2.0\",\"id\":" + question(call)
                    + ",\"error\":{\"code\":-32603,\"message\":\"no window\"}}");

            assertThat(ends.take()).isEqualTo("nobody");
        }
    }

    @Test
    @Tag("MCX-35")
    void aCallThatIsCancelledWhileItsToolAsksEndsTheTool() throws Exception {
        try (Socket call = call("ask")) {
            String unused = question(call);

            say("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}");

            assertThat(ends.take()).isEqualTo("interrupted");
        }
    }

    @Test
    @Tag("MCX-35")
    void aSessionThatItsClientEndsHasNoCallLeftThatRuns() throws Exception {
        try (Socket call = call("wait")) {
            runs.await();

            assertThat(delete()).startsWith("HTTP/1.1 204");

            assertThat(ends.take()).isEqualTo("interrupted");
            assertThat(call.isConnected()).isTrue();
        }
        assertThat(post(server, request(3, "tools/list", ""), List.of(session), ""))
                .startsWith("HTTP/1.1 404");
    }

    private Socket call(String tool) throws IOException {
        return posted(server, request(2, "tools/call", "\"name\":\"" + tool + "\""), "Accept: */*\r\n" + session);
    }

    private void say(String message) throws IOException {
        assertThat(post(server, message, List.of(session), "")).startsWith("HTTP/1.1 202");
    }

    /** Returns the id of the question in a stream of events. */
    private static String question(Socket call) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(call.getInputStream(), StandardCharsets.UTF_8));
        String line = in.readLine();
        while (!line.contains("elicitation/create")) {
            line = in.readLine();
        }
        return "\""
                + Members.of(dev.acp4j.json.RawJson.parse(line.substring("data: ".length())))
                        .text("id", "") + "\"";
    }

    private String delete() throws IOException {
        URI uri = URI.create(server.url());
        String request = "DELETE " + uri.getPath() + " HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nAuthorization: "
                + server.headers().getFirst().value() + "\r\n" + session + "\r\nConnection: close\r\n\r\n";
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort());
                OutputStream out = socket.getOutputStream()) {
            out.write(request.getBytes(StandardCharsets.UTF_8));
            out.flush();
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
