package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tickets for the WebSockets of web pages, which send no credential, over real sockets. */
@Tag("HST-23")
class TicketsTest {
    private static final String PAGE = "https://app.example";
    private static final String TOKEN = "a-token-that-is-long-enough";

    private final AtomicBoolean isValid = new AtomicBoolean(true);
    private HandServer server;
    private HttpClient http;

    @BeforeEach
    void start() throws Exception {
        Authenticator tokens = credentials -> credentials
                .bearerToken()
                .filter(token -> token.endsWith(TOKEN))
                .<Authenticator.Outcome>map(token -> new Authenticator.Allowed(
                        Principal.of(token.startsWith("bob") ? "bob" : "alice"), isValid::get))
                .orElse(new Authenticator.Refused("Bearer"));
        server = new HandServer(Http.on(0).authenticator(tokens).allowedOrigins(PAGE, "https://other.example"));
        http = HttpClient.newHttpClient();
    }

    @AfterEach
    void stop() {
        http.shutdownNow();
        server.close();
    }

    private HttpResponse<String> ask(String method, String token, String origin, String... headers) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(server.server.uri().resolve("/acp/ticket"))
                .method(method, HttpRequest.BodyPublishers.noBody());
        if (!token.isEmpty()) {
            request.header("Authorization", "Bearer " + token);
        }
        if (!origin.isEmpty()) {
            request.header("Origin", origin);
        }
        for (int i = 0; i < headers.length; i += 2) {
            request.header(headers[i], headers[i + 1]);
        }
        return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    }

    /** Returns the protocols that a page offers. */
    private String ticket(String... headers) throws Exception {
        HttpResponse<String> answer = ask("POST", TOKEN, PAGE, headers);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonObject body = (JsonObject) RawJson.parse(answer.body()).value();
        JsonArray protocols = (JsonArray) Objects.requireNonNull(body.members().get("protocols"));
        return protocols.elements().get(0).toString().replace("\"", "") + ", "
                + protocols.elements().get(1).toString().replace("\"", "");
    }

    /** Sends what a browser sends. Returns the status and the headers of the answer. */
    private String upgrade(String protocols, String origin) throws Exception {
        return upgrade("/acp", protocols, origin);
    }

    private String upgrade(String path, String protocols, String origin) throws Exception {
        int port = server.server.uri().getPort();
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            String request = "GET " + path + " HTTP/1.1\r\nHost: 127.0.0.1:" + port
                    + "\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
                    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: " + protocols
                    + "\r\nOrigin: " + origin + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.ISO_8859_1));
            StringBuilder head = new StringBuilder();
            for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
                head.append(line).append('\n');
            }
            return head.toString();
        }
    }

    @Test
    void aTicketOpensOneWebSocketAndIsNotSentBack() throws Exception {
        String protocols = ticket();
        String first = upgrade(protocols, PAGE);
        String second = upgrade(protocols, PAGE);

        assertThat(first)
                .startsWith("HTTP/1.1 101")
                .contains("Sec-WebSocket-Protocol: acp\n")
                .doesNotContain("ticket");
        assertThat(second).startsWith("HTTP/1.1 401").contains("WWW-Authenticate");
        assertThat(upgrade("acp, acp-ticket.invented", PAGE)).startsWith("HTTP/1.1 401");
        assertThat(upgrade("acp", PAGE)).startsWith("HTTP/1.1 401");
    }

    @Test
    @Tag("HST-22")
    void aTicketIsNoLeaveForACredentialInTheQuery() throws Exception {
        assertThat(upgrade("/acp?token=planted", ticket(), PAGE)).startsWith("HTTP/1.1 400");
    }

    @Test
    void aTicketCountsForItsOriginItsTimeAndItsCredentialOnly() throws Exception {
        String elsewhere = ticket();
        String old = ticket();
        assertThat(upgrade(elsewhere, "https://other.example")).startsWith("HTTP/1.1 401");
        assertThat(upgrade(elsewhere, PAGE)).startsWith("HTTP/1.1 401");
        server.pass(Duration.ofSeconds(60));
        assertThat(upgrade(old, PAGE)).startsWith("HTTP/1.1 401");
        String revoked = ticket();
        isValid.set(false);
        assertThat(upgrade(revoked, PAGE)).startsWith("HTTP/1.1 401");
    }

    @Test
    void onlyAPageWithACredentialGetsTickets() throws Exception {
        assertThat(ask("POST", "", PAGE).statusCode()).isEqualTo(401);
        assertThat(ask("POST", "wrong", PAGE).statusCode()).isEqualTo(401);
        assertThat(ask("POST", TOKEN, "").statusCode()).isEqualTo(400);
        assertThat(ask("POST", TOKEN, "https://evil.example").statusCode()).isEqualTo(403);
        assertThat(ask("GET", TOKEN, PAGE).statusCode()).isEqualTo(405);
        for (int i = 0; i < 64; i++) {
            String unused = ticket();
        }
        assertThat(ask("POST", TOKEN, PAGE).statusCode()).isEqualTo(429);
        assertThat(ask("POST", "bob-" + TOKEN, PAGE).statusCode()).isEqualTo(200);
    }

    @Test
    void aTicketNamesTheConnectionThatAPageGoesOnWith() throws Exception {
        try (RawClient client = new RawClient(server.server.uri(), HttpClient.Version.HTTP_1_1, TOKEN)) {
            client.initialize();
            String id = Objects.requireNonNull(client.headers().get("Acp-Connection-Id"));

            assertThat(upgrade(ticket("Acp-Connection-Id", id), PAGE))
                    .startsWith("HTTP/1.1 101")
                    .containsIgnoringCase("Acp-Connection-Id: " + id);
            assertThat(upgrade(ticket("Acp-Connection-Id", "unknown"), PAGE)).startsWith("HTTP/1.1 404");
        }
    }
}
