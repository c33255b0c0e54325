package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.TestAgent;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

    /**
     * The server notices in the middle of a write that such a client has left. Each one kept a thread busy for ever,
     * and a server has few that virtual threads run on.
     */
    @Test
    @Tag("DUR-13")
    void whoResetsAStreamOverTlsWhileItIsWritten(@TempDir Path folder) throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        SSLContext ssl = Certificates.trusting(keys, "server", null);
        try (HandServer hand = new HandServer(
                Http.on(0).tokens(BearerTokens.of("me", FakeExchange.TOKEN)).tls(Tls.of(keys, "secret")))) {
            for (int round = 0; round < 50; round++) {
                try (RawClient client =
                        new RawClient(hand.server.uri(), HttpClient.Version.HTTP_1_1, FakeExchange.TOKEN, ssl)) {
                    client.initialize();
                    Transport agent = hand.agent();
                    Thread flood = Thread.ofVirtual().start(() -> flood(agent));
                    resetWhileReading(client, ssl, hand.server);
                    flood.interrupt();
                    agent.close();
                }
            }
            try (RawClient client =
                    new RawClient(hand.server.uri(), HttpClient.Version.HTTP_1_1, FakeExchange.TOKEN, ssl)) {
                assertThat(client.initialize()).contains("\"result\"");
            }
        }
    }

    private static void flood(Transport agent) {
        String message = "{\"jsonrpc\":\"2.0\",\"method\":\"_flood\",\"params\":\"" + "x".repeat(8_000) + "\"}";
        try {
            while (true) {
                HandServer.says(agent, message);
            }
        } catch (IOException e) {
            // The client has left.
            agent.close();
        }
    }

    private static void resetWhileReading(RawClient client, SSLContext ssl, RunningServer server) throws IOException {
        try (Socket plain = connect(server)) {
            // Its close would say farewell first.
            Socket socket = ssl.getSocketFactory()
                    .createSocket(plain, "127.0.0.1", server.uri().getPort(), false);
            StringBuilder request = new StringBuilder("GET /acp HTTP/1.1\r\nHost: ")
                    .append(server.uri().getAuthority())
                    .append("\r\nAccept: text/event-stream\r\n");
            client.headers()
                    .forEach((name, value) ->
                            request.append(name).append(": ").append(value).append("\r\n"));
            socket.getOutputStream().write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
            int unread = 100_000;
            byte[] buffer = new byte[8192];
            for (int count = 0; unread > 0 && count >= 0; unread -= count) {
                count = socket.getInputStream().read(buffer);
            }
            assertThat(unread).isNotPositive();
            plain.setSoLinger(true, 0);
        }
    }
}
