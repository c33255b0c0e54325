package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.TestAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A server closes the socket of a client that leaves on HTTP/1.1, so that however many leave, none is left over. Each
 * test ends its own half of a socket, and reads until the server has ended the other one.
 */
@Timeout(120)
class LeftClientsTest {
    /** How long to wait for the server's half: no test needs so long. */
    private static final int PATIENCE_MILLIS = 30_000;

    private static Socket connect(RunningServer server) throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void send(Socket socket, RunningServer server, String request, String more) throws IOException {
        String text = request + " HTTP/1.1\r\nHost: " + server.uri().getAuthority() + "\r\nAuthorization: Bearer "
                + server.token().orElseThrow() + "\r\n" + more;
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
    }

    @Test
    @Tag("DUR-13")
    void whoReadsAStream() throws Exception {
        try (HandServer hand = new HandServer(Http.on(0));
                RawClient client = new RawClient(hand.server);
                Socket socket = connect(hand.server)) {
            client.initialize();
            String id = client.headers().get("Acp-Connection-Id");
            send(socket, hand.server, "GET /acp", "Accept: text/event-stream\r\nAcp-Connection-Id: " + id + "\r\n\r\n");
            BufferedReader in = reader(socket);
            String line = in.readLine();
            assertThat(line).endsWith("200 OK");
            while (!": ok".equals(line)) {
                line = in.readLine();
            }
            socket.shutdownOutput();

            assertThat(in.lines()).noneMatch(rest -> rest.startsWith("data"));
        }
    }

    @Test
    @Tag("HTS-33")
    void whoSendsHalfABody() throws Exception {
        try (RunningServer server = Http.on(0).drainTime(Duration.ZERO).start(TestAgent.create()::connect);
                Socket socket = connect(server)) {
            send(
                    socket,
                    server,
                    "POST /acp",
                    "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":\"2.0\",");
            socket.shutdownOutput();

            assertThat(reader(socket).lines()).noneMatch(line -> line.contains("200"));
        }
    }

    @Test
    @Tag("HTS-33")
    void whoWaitsForAnAgentThatDoesNotAnswer() throws Exception {
        CompletableFuture<Transport> begun = new CompletableFuture<>();
        try (RunningServer server = Http.on(0).drainTime(Duration.ZERO).start(begun::complete);
                Socket socket = connect(server)) {
            String body = RawClient.INITIALIZE;
            send(
                    socket,
                    server,
                    "POST /acp",
                    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: "
                            + body.length() + "\r\n\r\n" + body);
            try (Transport silent = begun.get(30, TimeUnit.SECONDS)) {
                socket.shutdownOutput();

                assertThat(reader(socket).lines()).noneMatch(line -> line.contains("200"));
                assertThat(silent.reader().read()).isNotNull();
            }
        }
    }
}
