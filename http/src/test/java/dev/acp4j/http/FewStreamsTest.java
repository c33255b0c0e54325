package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.schema.ToolKind;
import java.net.URI;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.ee10.servlet.ServletContextHandler;
import org.eclipse.jetty.ee10.servlet.ServletHolder;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client of a server that allows few streams in a connection of HTTP/2, fewer than there are sessions. */
@Timeout(120)
class FewStreamsTest {
    private static final String TOKEN = "a-token-that-is-long-enough";
    private static final int STREAMS = 4;
    private static final int SESSIONS = 20;

    @TempDir
    private Path folder;

    private final Server server = new Server();

    @AfterEach
    void stop() throws Exception {
        server.stop();
    }

    private ServerConnector listen(KeyStore keys) throws Exception {
        SslContextFactory.Server tls = new SslContextFactory.Server();
        tls.setKeyStore(keys);
        tls.setKeyStorePassword("secret");
        HttpConfiguration http = new HttpConfiguration();
        http.addCustomizer(new SecureRequestCustomizer(false));
        HTTP2ServerConnectionFactory http2 = new HTTP2ServerConnectionFactory(http);
        http2.setMaxConcurrentStreams(STREAMS);
        ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory(http2.getProtocol());
        ServerConnector connector =
                new ServerConnector(server, new SslConnectionFactory(tls, alpn.getProtocol()), alpn, http2);
        connector.setHost("127.0.0.1");
        connector.open();
        server.addConnector(connector);
        server.setStopTimeout(0);
        return connector;
    }

    private void serve(Agent agent, String host, boolean durable) throws Exception {
        HttpServer configuration = Http.on(0)
                .tokens(BearerTokens.of("me", TOKEN))
                .drainTime(Duration.ZERO)
                .durable(durable)
                .allowedHosts(host);
        ServletHolder holder = new ServletHolder("acp", new AcpServlet(configuration, agent::connect));
        holder.setAsyncSupported(true);
        ServletContextHandler context = new ServletContextHandler("/");
        context.addServlet(holder, "/acp");
        server.setHandler(context);
        server.start();
    }

    /** Without durability a message that was perhaps sent is not sent again, and a lost stream costs its session. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Tag("CNX-18")
    void moreSessionsThanStreamsAreCarriedByFurtherConnections(boolean durable) throws Exception {
        CountDownLatch all = new CountDownLatch(SESSIONS);
        Agent agent = Agent.builder("together", "1.0")
                .onPrompt(turn -> {
                    turn.message("You said: " + turn.text());
                    all.countDown();
                    all.await();
                    boolean allowed = turn.toolCall("Edit", ToolKind.EDIT)
                            .requestPermission()
                            .isAllowed();
                    turn.message(allowed ? ", and may I" : ", and may I not");
                })
                .build();
        KeyStore keys = Certificates.make(folder, "server");
        ServerConnector connector = listen(keys);
        String host = "127.0.0.1:" + connector.getLocalPort();
        serve(agent, host, durable);
        LinkedBlockingQueue<Object> troubles = new LinkedBlockingQueue<>();
        RemoteAgent remote = Http.to(URI.create("https://" + host + "/acp"))
                .over(RemoteAgent.Over.EVENTS)
                .ssl(Certificates.trusting(keys, "server", null))
                .bearer(() -> TOKEN)
                .recovers(false)
                .onState(troubles::add)
                .onProblem(troubles::add);
        List<String> texts = new ArrayList<>();
        int connections;
        try (ConnectedAgent connected = Client.builder("ask", "1.0")
                        .onPermission(PermissionQuestion::allowOnce)
                        .connect(remote);
                ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<String>> turns = new ArrayList<>();
            for (int i = 0; i < SESSIONS; i++) {
                String text = Integer.toString(i);
                turns.add(threads.submit(
                        () -> connected.newSession(Path.of("/")).prompt(text).text()));
            }
            for (Future<String> turn : turns) {
                texts.add(turn.get());
            }
            connections = connector.getConnectedEndPoints().size();
        }

        assertThat(texts).hasSize(SESSIONS);
        for (int i = 0; i < SESSIONS; i++) {
            assertThat(texts.get(i)).isEqualTo("You said: " + i + ", and may I");
        }
        assertThat(troubles).isEmpty();
        assertThat(connections).isGreaterThan(SESSIONS / STREAMS);
    }
}
