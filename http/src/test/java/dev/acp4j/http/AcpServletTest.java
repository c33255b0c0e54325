package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.Turn;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.schema.Version;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The endpoint in the servlet container of somebody else. */
@Timeout(120)
class AcpServletTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    private final Server server = new Server();
    private final JumpingTime time = new JumpingTime();

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private URI serve(Agent.Builder agent, String... hosts) throws Exception {
        ServerConnector connector = new ServerConnector(server);
        connector.setHost("127.0.0.1");
        connector.open();
        server.addConnector(connector);
        server.setStopTimeout(0);
        URI uri = URI.create("http://127.0.0.1:" + connector.getLocalPort() + "/agents/acp");
        Agent built = agent.build();
        HttpServer configuration = Http.on(0)
                .tokens(BearerTokens.of("me", TOKEN))
                .drainTime(Duration.ZERO)
                .time(time)
                .allowedHosts(hosts.length == 0 ? new String[] {uri.getAuthority()} : hosts);
        ServletHolder holder = new ServletHolder("acp", new AcpServlet(configuration, built::connect));
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/agents");
        context.addServlet(holder, "/acp");
        server.setHandler(context);
        server.start();
        return uri;
    }

    private static Agent.Builder counter() {
        return Agent.builder("counter", "1.0").protocol(Version.values()).onPrompt(turn -> {
            for (int i = 0; i < 200; i++) {
                turn.message(i + " ");
            }
            boolean allowed =
                    turn.toolCall("Edit", ToolKind.EDIT).requestPermission().isAllowed();
            turn.message(allowed ? "allowed" : "refused");
        });
    }

    private static String expected() {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            text.append(i).append(' ');
        }
        return text + "allowed";
    }

    @ParameterizedTest
    @EnumSource(Version.class)
    void aTurnWithAQuestionRunsInSomebodyElsesServer(Version version) throws Exception {
        RemoteAgent remote =
                Http.to(serve(counter())).over(RemoteAgent.Over.AUTO).bearer(() -> TOKEN);
        String text;
        try (ConnectedAgent agent = Client.builder("ask", "1.0")
                .protocol(version)
                .onPermission(PermissionQuestion::allowOnce)
                .connect(remote)) {
            text = agent.newSession(Path.of("/")).prompt("Count").text();
        }

        assertThat(text).isEqualTo(expected());
    }

    @Test
    @Tag("DUR-06")
    void nothingIsLostWhenStreamsOfAServletAreCut() throws Exception {
        try (CuttingProxy way = new CuttingProxy()) {
            way.leadTo(serve(counter(), way.host()));
            RemoteAgent remote =
                    Http.to(URI.create("http://" + way.host() + "/agents/acp")).bearer(() -> TOKEN);
            try (ConnectedAgent agent = Client.builder("ask", "1.0")
                    .onPermission(PermissionQuestion::allowOnce)
                    .connect(remote)) {
                Session session = agent.newSession(Path.of("/"));
                for (int round = 1; round <= 4; round++) {
                    way.cutAfter(5_003L * round);
                    assertThat(session.prompt("Count").text()).isEqualTo(expected());
                }
            }

            assertThat(way.cuts()).isGreaterThanOrEqualTo(3);
        }
    }

    @Test
    void eachUpdateArrivesAtOnceAndTheEndOfTheContainerEndsTheStreams() throws Exception {
        CountDownLatch seen = new CountDownLatch(1);
        URI uri = serve(Agent.builder("patient", "1.0").onPrompt(turn -> {
            turn.message("first");
            seen.await();
            turn.message("second");
        }));
        RemoteAgent remote =
                Http.to(uri).bearer(() -> TOKEN).patience(Duration.ofSeconds(1)).recovers(false);
        try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
            Turn turn = agent.newSession(Path.of("/")).prompt("Go");
            var first = turn.iterator().next();
            seen.countDown();
            turn.result();
            server.stop();

            assertThat(first).asString().contains("first");
            assertThatThrownBy(() -> agent.newSession(Path.of("/"))).isInstanceOf(RuntimeException.class);
        }
    }

    @Test
    @Tag("HTS-03")
    void aBodyThatComesTooSlowlyIsRefused() throws Exception {
        URI uri = serve(counter());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
            OutputStream out = socket.getOutputStream();
            out.write(("POST /agents/acp HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nAuthorization: Bearer " + TOKEN
                            + "\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n"
                            + "Expect: 100-continue\r\n\r\n")
                    .getBytes(StandardCharsets.US_ASCII));
            InputStream in = socket.getInputStream();
            String answer =
                    new String(in.readNBytes("HTTP/1.1 100 Continue\r\n\r\n".length()), StandardCharsets.US_ASCII);
            assertThat(answer).startsWith("HTTP/1.1 100");
            // The container may ask for the body a moment before the endpoint looks at the clock.
            socket.setSoTimeout(1000);
            for (int first = -1; first < 0; ) {
                time.jump(Duration.ofSeconds(31));
                out.write('{');
                try {
                    first = in.read();
                    answer = (char) first + new String(in.readAllBytes(), StandardCharsets.US_ASCII);
                } catch (SocketTimeoutException e) {
                    // Once more.
                    first = -1;
                }
            }

            assertThat(answer).contains("HTTP/1.1 408").contains("too_slow");
        }
    }

    @Test
    @Tag("HTS-03")
    void aClientThatReadsOnlyWhenItHasSentItsWholeBodyLearnsWhyItIsRefused() throws Exception {
        URI uri = serve(counter());
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
            socket.setSoTimeout(60_000);
            byte[] body = new byte[16 << 20];
            socket.getOutputStream()
                    .write(("POST /agents/acp HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\nConnection: close\r\n"
                                    + "Content-Type: application/json\r\nContent-Length: " + body.length + "\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream().write(body);
            String answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            assertThat(answer).startsWith("HTTP/1.1 401 ");
        }
    }

    @Test
    void theRulesAreThoseOfTheServer() throws Exception {
        URI uri = serve(counter());
        try (RawClient stranger = new RawClient(uri, HttpClient.Version.HTTP_1_1, "");
                RawClient client = new RawClient(uri, HttpClient.Version.HTTP_1_1, TOKEN)) {
            assertThat(stranger.post(RawClient.INITIALIZE).statusCode()).isEqualTo(401);
            assertThat(client.post(RawClient.INITIALIZE, "Origin", "https://evil.example")
                            .statusCode())
                    .isEqualTo(403);
            assertThat(client.post("{").statusCode()).isEqualTo(400);
            assertThat(client.initialize()).contains("\"protocolVersion\":1");
            assertThat(client.stream("Acp-Session-Id", "s", "Last-Event-ID", "x-1")
                            .status())
                    .isEqualTo(409);
            assertThat(client.delete().statusCode()).isEqualTo(202);
            assertThat(client.delete().statusCode()).isEqualTo(404);
        }
    }

    @Test
    void aServletSaysWhatItNeeds() {
        HttpServer open = Http.on(0).allowedHosts("agents.example");
        HttpServer nameless = Http.on(0).tokens(BearerTokens.of("me", TOKEN));

        assertThatThrownBy(() -> new AcpServlet(open, transport -> {})).hasMessageContaining("tokens(…)");
        assertThatThrownBy(() -> new AcpServlet(nameless, transport -> {})).hasMessageContaining("allowedHosts(…)");
    }
}
