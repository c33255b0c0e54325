package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.PermissionQuestion;
import dev.acp4j.Session;
import dev.acp4j.SessionEvent;
import dev.acp4j.Turn;
import dev.acp4j.http.gateway.Gateway;
import dev.acp4j.process.Launch;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.ToolKind;
import dev.acp4j.tap.Poll;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Our server behind nginx and HAProxy, with the configurations of {@code docs/reverse-proxies}. */
@Timeout(180)
class ReverseProxyTest {
    private static final String TOKEN = "a-token-that-is-long-enough";
    private static final Path DOCS = Path.of("../docs/reverse-proxies");

    enum Front {
        NGINX,
        HAPROXY,
        HAPROXY_OVER_HTTP2
    }

    @TempDir
    Path folder;

    private final Set<String> addresses = ConcurrentHashMap.newKeySet();
    private final LinkedBlockingQueue<RemoteAgent.State> states = new LinkedBlockingQueue<>();
    private final List<Process> processes = new ArrayList<>();
    private int port;
    private @Nullable SSLContext ssl;

    @BeforeEach
    void prepare() throws Exception {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        KeyStore keys = Certificates.make(folder, "server");
        ssl = Certificates.trusting(keys, "server", null);
        Files.writeString(
                folder.resolve("server-both.pem"),
                Files.readString(folder.resolve("server.pem")) + Files.readString(folder.resolve("server-key.pem")));
    }

    @AfterEach
    void stop() throws Exception {
        for (Process process : processes) {
            List<ProcessHandle> workers = process.descendants().toList();
            process.destroy();
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
            workers.forEach(ProcessHandle::destroyForcibly);
        }
    }

    // ---- the way

    private void start(Front front, URI server) throws Exception {
        String text = Files.readString(DOCS.resolve(front == Front.NGINX ? "nginx.conf" : "haproxy.cfg"))
                .replace("listen 443", "listen 127.0.0.1:" + port)
                .replace("bind :443", "bind 127.0.0.1:" + port)
                .replace("127.0.0.1:8080", server.getAuthority());
        if (front == Front.HAPROXY_OVER_HTTP2) {
            text = text.replace(" # proto h2: HTTP/2 to the server, too", " proto h2");
        }
        if (front == Front.NGINX) {
            nginx(text);
        } else {
            run("haproxy", text, "haproxy", "-f", "proxy.conf");
        }
    }

    private void nginx(String text) throws Exception {
        // Workers of root are of another user, who cannot use the folder.
        String user = System.getProperty("user.name").equals("root") ? "user root;\n" : "";
        run("nginx", user + text, "nginx", "-p", folder.toString(), "-c", "proxy.conf", "-g", "daemon off;");
    }

    private void run(String program, String text, String... command) throws Exception {
        boolean isThere = Arrays.stream(System.getenv("PATH").split(":"))
                .anyMatch(place -> Files.isExecutable(Path.of(place, program)));
        Assumptions.assumeTrue(
                isThere || Files.isExecutable(Path.of("/usr/sbin", program)),
                "SKIPPED: " + program + " is not installed, so our server was not tried behind it");
        Files.writeString(folder.resolve("proxy.conf"), text);
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("proxy.log").toFile());
        builder.environment().merge("PATH", ":/usr/sbin", String::concat);
        Process process = builder.start();
        processes.add(process);
        boolean listens = Poll.until(() -> !process.isAlive() || listens());
        assertThat(listens && process.isAlive())
                .as("%s listens: %s", program, Files.readString(folder.resolve("proxy.log")))
                .isTrue();
    }

    private boolean listens() {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private RunningServer serve(Agent.Builder agent) throws Exception {
        BearerTokens tokens = BearerTokens.of("me", TOKEN);
        Agent built = agent.build();
        return Http.on(0)
                .trustedProxies(InetAddress.getLoopbackAddress())
                .allowedHosts("127.0.0.1:" + port)
                .authenticator(credentials -> {
                    addresses.add(credentials.address());
                    return tokens.authenticate(credentials);
                })
                .probePaths("/health", "/ready")
                .drainTime(Duration.ZERO)
                .start(built::connect);
    }

    private ConnectedAgent connect(RemoteAgent.Over over) throws Exception {
        RemoteAgent remote = Http.to(URI.create("https://127.0.0.1:" + port + "/acp"))
                .over(over)
                .onState(states::add)
                .headers(() -> Map.of("Authorization", "Bearer " + TOKEN, "X-Forwarded-For", "203.0.113.9"));
        return Client.builder("ask", "1.0")
                .onPermission(PermissionQuestion::allowOnce)
                .connect(ssl == null ? remote : remote.ssl(ssl));
    }

    static List<Object[]> fronts() {
        List<Object[]> all = new ArrayList<>();
        for (Front front : Front.values()) {
            all.add(new Object[] {front, RemoteAgent.Over.EVENTS});
            all.add(new Object[] {front, RemoteAgent.Over.WEBSOCKET});
        }
        return all;
    }

    /** Says something, waits until it was heard, and asks for permission. */
    private static Agent.Builder patient(CountDownLatch heard) {
        return Agent.builder("patient", "1.0").onPrompt(turn -> {
            turn.message("first");
            heard.await();
            boolean allowed =
                    turn.toolCall("Edit", ToolKind.EDIT).requestPermission().isAllowed();
            turn.message(allowed + " " + turn.text().length());
        });
    }

    @ParameterizedTest
    @MethodSource("fronts")
    @Tag("HST-42")
    @Tag("HST-41")
    void aTurnWithAQuestionAndALargeMessagePasses(Front front, RemoteAgent.Over over) throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        StringBuilder text = new StringBuilder();
        try (RunningServer server = serve(patient(heard))) {
            start(front, server.uri());
            try (ConnectedAgent agent = connect(over)) {
                Session session = agent.newSession(Path.of("/"));
                for (SessionEvent event : session.prompt("x".repeat(3_000_000))) {
                    if (event instanceof SessionEvent.Message message) {
                        text.append(message.content());
                        heard.countDown();
                    }
                }
            }
        }

        assertThat(text).contains("first").contains("true 3000000");
        assertThat(addresses).containsExactly("127.0.0.1");
    }

    /** An issuer of tokens, for clients that have none. */
    private record Issued(Authenticator tokens) implements Authenticator {
        @Override
        public Outcome authenticate(Credentials credentials) throws InterruptedException {
            return tokens.authenticate(credentials);
        }

        @Override
        public List<URI> authorizationServers() {
            return List.of(URI.create("https://login.example"));
        }
    }

    @ParameterizedTest
    @EnumSource(Front.class)
    @Tag("HST-42")
    void everyAddressOfAServerPasses(Front front) throws Exception {
        Map<String, String> answers = new LinkedHashMap<>();
        try (Gateway gateway = Gateway.builder(Launch.of("never-started")).build();
                RunningServer server = Http.on(0)
                        .trustedProxies(InetAddress.getLoopbackAddress())
                        .allowedHosts("127.0.0.1:" + port)
                        .authenticator(new Issued(BearerTokens.of("me", TOKEN)))
                        .probePaths("/health", "/ready")
                        .pages(gateway.pages())
                        .drainTime(Duration.ZERO)
                        .start(gateway);
                HttpClient client = HttpClient.newBuilder()
                        .sslContext(Objects.requireNonNull(ssl))
                        .build()) {
            start(front, server.uri());
            for (String path : List.of(
                    "/ready",
                    "/health",
                    "/metrics",
                    "/approvals",
                    "/approvals/approvals.js",
                    "/approvals/questions",
                    "/approvals/link",
                    "/acp/ticket",
                    "/.well-known/oauth-protected-resource/acp")) {
                HttpResponse<String> answer = client.send(
                        HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path))
                                .header("Authorization", "Bearer " + TOKEN)
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
                answers.put(path, answer.statusCode() + " " + answer.body());
            }
        }

        assertThat(answers.get("/ready")).startsWith("200");
        assertThat(answers.get("/health")).startsWith("200");
        assertThat(answers.get("/metrics")).contains("acp_agents 0");
        assertThat(answers.get("/approvals")).startsWith("200").contains("<html");
        assertThat(answers.get("/approvals/approvals.js")).startsWith("200");
        assertThat(answers.get("/approvals/questions")).contains("\"principal\":\"me\"");
        assertThat(answers.get("/approvals/link")).contains("link_unknown");
        assertThat(answers.get("/acp/ticket")).startsWith("405").contains("method_not_allowed");
        assertThat(answers.get("/.well-known/oauth-protected-resource/acp")).contains("https://login.example");
    }

    @ParameterizedTest
    @MethodSource("fronts")
    @Tag("HST-42")
    void aTurnGoesOnWhileTheProxyIsStartedAnew(Front front, RemoteAgent.Over over) throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (RunningServer server = serve(patient(heard))) {
            start(front, server.uri());
            try (ConnectedAgent agent = connect(over)) {
                Turn turn = agent.newSession(Path.of("/")).prompt("Go");
                var first = turn.iterator();
                assertThat(first.next()).asString().contains("first");
                stop();
                heard.countDown();
                start(front, server.uri());
                StringBuilder rest = new StringBuilder();
                first.forEachRemaining(rest::append);

                assertThat(rest).contains("true 2");
            }
        }
    }

    /**
     * Both ways at once, since each is silent for as long as {@code -Dacp4j.idle.seconds} says: 1 in a build, 600 in a
     * long run.
     */
    @ParameterizedTest
    @EnumSource(Front.class)
    @Tag("HST-42")
    @Timeout(900)
    void aMessageOfAlmost64MiBAndASilentTurnPass(Front front) throws Exception {
        long seconds = Long.getLong("acp4j.idle.seconds", 1);
        Agent.Builder silent = Agent.builder("silent", "1.0").onPrompt(turn -> {
            turn.message(turn.text().length() + " ");
            boolean unused = new CountDownLatch(1).await(seconds, TimeUnit.SECONDS);
            turn.message("after");
        });
        List<String> texts = new ArrayList<>();
        List<RemoteAgent.State> lost;
        try (RunningServer server = serve(silent)) {
            start(front, server.uri());
            try (ConnectedAgent events = connect(RemoteAgent.Over.EVENTS);
                    ConnectedAgent socket = connect(RemoteAgent.Over.WEBSOCKET)) {
                Turn first = events.newSession(Path.of("/")).prompt("x".repeat(67_000_000));
                Turn second = socket.newSession(Path.of("/")).prompt("x".repeat(67_000_000));
                texts.add(first.text());
                texts.add(second.text());
                lost = List.copyOf(states);
            }
        }

        assertThat(texts).containsOnly("67000000 after");
        assertThat(lost).as("streams that were cut").isEmpty();
    }

    /** Starts HAProxy before two servers. */
    private void start(URI one, URI two) throws Exception {
        String text = Files.readString(DOCS.resolve("haproxy-two.cfg"))
                .replace("bind :443", "bind 127.0.0.1:" + port)
                .replace("hdr Host agents.example", "hdr Host 127.0.0.1:" + port)
                .replace("127.0.0.1:8081", one.getAuthority())
                .replace("127.0.0.1:8082", two.getAuthority());
        run("haproxy", text, "haproxy", "-f", "proxy.conf");
    }

    /** Remembers who answered, and keeps sessions where both servers find them. */
    private static Agent.Builder placed(String name, List<String> answered, List<String> said) {
        return Agent.builder(name, "1.0")
                .onLoadSession(session -> said.forEach(text -> session.userMessage(ContentBlock.text(text))))
                .onPrompt(turn -> {
                    answered.add(name);
                    said.add(turn.text());
                    turn.message(name);
                });
    }

    @ParameterizedTest
    @EnumSource(
            value = RemoteAgent.Over.class,
            names = {"EVENTS", "WEBSOCKET"})
    void aClientStaysWithItsServerAndGoesToTheOtherWhenThatIsGone(RemoteAgent.Over over) throws Exception {
        List<String> answered = new CopyOnWriteArrayList<>();
        List<String> said = new CopyOnWriteArrayList<>();
        try (RunningServer one = serve(placed("one", answered, said));
                RunningServer two = serve(placed("two", answered, said))) {
            start(one.uri(), two.uri());
            List<ConnectedAgent> agents = new ArrayList<>();
            try {
                for (int i = 0; i < 4; i++) {
                    ConnectedAgent agent = connect(over);
                    agents.add(agent);
                    Session session = agent.newSession(Path.of("/"));
                    String server = session.prompt("first").text();
                    for (int j = 0; j < 5; j++) {
                        assertThat(agent.newSession(Path.of("/")).prompt("more").text())
                                .isEqualTo(server);
                        assertThat(session.prompt("again").text()).isEqualTo(server);
                    }
                }
                assertThat(answered).as("the servers of four clients").contains("one", "two");

                agents.forEach(ConnectedAgent::close);
                ConnectedAgent agent = connect(over);
                agents.add(agent);
                Session session = agent.newSession(Path.of("/"));
                said.clear();
                String before = session.prompt("before").text();
                (before.equals("one") ? one : two).close();
                while (states.take() != RemoteAgent.State.RECOVERED) {
                    // Earlier ones say that the connection was lost.
                }
                String after = session.prompt("after").text();

                assertThat(List.of(before, after)).containsExactlyInAnyOrder("one", "two");
                assertThat(said).containsExactly("before", "after");
            } finally {
                agents.forEach(ConnectedAgent::close);
            }
        }
    }

    @Test
    @Tag("HST-42")
    void nginxWithNothingButTheAddressBuffersNothing() throws Exception {
        CountDownLatch heard = new CountDownLatch(1);
        try (RunningServer server = serve(patient(heard))) {
            nginx("pid nginx.pid; error_log stderr; events {} http { access_log off; client_body_temp_path body;"
                    + " proxy_temp_path proxy; server { listen 127.0.0.1:" + port + " ssl;"
                    + " ssl_certificate server.pem; ssl_certificate_key server-key.pem; location / { proxy_pass "
                    + server.uri().toString().replace("/acp", "") + "; proxy_set_header Host $http_host; } } }");
            try (ConnectedAgent agent = connect(RemoteAgent.Over.EVENTS)) {
                Turn turn = agent.newSession(Path.of("/")).prompt("Go");
                var events = turn.iterator();
                assertThat(events.next()).asString().contains("first");
                heard.countDown();
                StringBuilder rest = new StringBuilder();
                events.forEachRemaining(rest::append);

                assertThat(rest).contains("true 2");
            }
        }
    }
}
