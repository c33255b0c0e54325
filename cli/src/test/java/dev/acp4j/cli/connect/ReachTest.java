package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.Client;
import dev.acp4j.ConnectedAgent;
import dev.acp4j.cli.Acp;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.Principal;
import dev.acp4j.http.RemoteAgent;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.Tls;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** By which ways {@code acp} reaches a remote agent, and with which credentials. */
@Timeout(120)
class ReachTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    @TempDir
    private Path folder;

    private static Agent.Builder agent() {
        return Agent.builder("remote", "1.0").onPrompt(turn -> turn.message("You said: " + turn.text()));
    }

    private static HttpServer server() {
        return Http.on(0).tokens(BearerTokens.of("me", TOKEN)).drainTime(Duration.ZERO);
    }

    private AcpRun.Builder prompt(String place) {
        return acp("prompt", "--url", place, "Hello.")
                .env("XDG_CONFIG_HOME", folder.toString())
                .env("HTTPS_PROXY", "")
                .env("https_proxy", "");
    }

    private Path config(String permissions, String text) throws Exception {
        Path file = Files.createDirectories(folder.resolve("acp")).resolve("servers.json");
        Files.writeString(file, text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
    }

    private Path secret(String name, String text) throws Exception {
        Path file = Files.writeString(folder.resolve("acp").resolve(name), text);
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
    }

    private static void assertAnswered(AcpRun run) {
        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out()).isEqualTo("You said: Hello.\n");
    }

    // ---- proxies

    @ParameterizedTest
    @ValueSource(strings = {"https", "wss"})
    @Tag("CNX-19")
    @Tag("CNX-20")
    void aProxyWithAPasswordLeadsToAServerWhoseCertificateIsGiven(String scheme) throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "DNS:agents.example", 30);
        AcpRun run;
        AcpRun doctor;
        AcpRun refused;
        AcpRun none;
        List<String> requests;
        try (RunningServer server = server().allowedHosts("agents.example")
                        .tls(Tls.pem(own.certificate(), own.key()))
                        .start(agent().build()::connect);
                ConnectProxy proxy = new ConnectProxy(server.uri().getPort(), "me:pass+word%")) {
            config(
                    "rw-------",
                    "{\"servers\":{\"far\":{\"url\":\"" + scheme + "://agents.example/acp\",\"ca\":\""
                            + own.certificate() + "\"}}}");
            String good = "http://me:pass%2Bword%25@" + proxy.address();
            run = prompt("far").env("ACP_TOKEN", TOKEN).env("HTTPS_PROXY", good).run();
            doctor = acp("doctor", "far")
                    .env("XDG_CONFIG_HOME", folder.toString())
                    .env("ACP_TOKEN", TOKEN)
                    .env("HTTPS_PROXY", good)
                    .run();
            requests = List.copyOf(proxy.requests);
            refused = acp("doctor", "far")
                    .env("XDG_CONFIG_HOME", folder.toString())
                    .env("ACP_TOKEN", TOKEN)
                    .env("HTTPS_PROXY", "http://" + proxy.address())
                    .run();
            none = prompt("far")
                    .env("HTTPS_PROXY", good)
                    .env("NO_PROXY", ".example")
                    .run();

            assertThat(proxy.headers).noneMatch(line -> line.contains(TOKEN));
        }

        assertAnswered(run);
        assertThat(requests).isNotEmpty().containsOnly("CONNECT agents.example:443 HTTP/1.1");
        assertThat(doctor.exitCode()).as(doctor.out()).isZero();
        assertThat(doctor.out()).containsPattern("✓ proxy +127.0.0.1:\\d+ leads to agents.example:443\n");
        assertThat(refused.exitCode()).isEqualTo(7);
        assertThat(refused.out()).contains("answers 407", "It asks for a user and a password.");
        assertThat(none.exitCode()).isEqualTo(1);
        assertThat(none.err()).contains("there is no host agents.example");
    }

    @Test
    @Tag("CNX-19")
    void aWebSocketInClearTextGoesThroughAProxyByConnectIfItIsAllowedAtAll() throws Exception {
        AcpRun refused = prompt("ws://agents.example/acp")
                .env("HTTP_PROXY", "http://127.0.0.1:1")
                .run();
        String text;
        try (RunningServer server = server().allowedHosts("agents.example").start(agent().build()::connect);
                ConnectProxy proxy = new ConnectProxy(server.uri().getPort(), "")) {
            URI address = URI.create("http://" + proxy.address());
            RemoteAgent remote = Http.to(URI.create("ws://agents.example/acp"))
                    .allowCleartext()
                    .bearer(() -> TOKEN)
                    .proxy(ProxySelector.of(new InetSocketAddress(address.getHost(), address.getPort())));
            try (ConnectedAgent agent = Client.builder("ask", "1.0").connect(remote)) {
                text = agent.newSession(Path.of("/")).prompt("Hello.").text();
            }

            assertThat(proxy.requests).isNotEmpty();
            assertThat(proxy.requests.getFirst()).isEqualTo("CONNECT agents.example:80 HTTP/1.1");
        }

        assertThat(text).isEqualTo("You said: Hello.");
        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.err()).contains("agents.example is another machine", "use https or wss");
    }

    @Test
    @Tag("CNX-19")
    void thisMachineIsReachedWithoutProxy() throws Exception {
        AcpRun run;
        try (RunningServer server = server().start(agent().build()::connect)) {
            run = prompt(server.uri().toString())
                    .env("ACP_TOKEN", TOKEN)
                    .env("HTTP_PROXY", "http://127.0.0.1:1")
                    .env("ALL_PROXY", "socks5://127.0.0.1:1")
                    .run();
        }

        assertAnswered(run);
    }

    @Test
    @Tag("CNX-19")
    void theVariablesAreReadAsOtherProgramsReadThem() {
        URI secure = URI.create("https://agents.example/acp");
        ProxyVariables variables = new ProxyVariables(Map.of(
                "HTTPS_PROXY",
                "http://upper:1",
                "https_proxy",
                "lower:2",
                "NO_PROXY",
                "other.example, .corp, 10.0.0.1:8443"));

        assertThat(variables.proxyFor(secure, null)).isEqualTo(URI.create("http://lower:2"));
        assertThat(variables.proxyFor(secure, "http://given:3")).isEqualTo(URI.create("http://given:3"));
        for (String direct : List.of(
                "https://other.example/acp",
                "https://a.other.example/acp",
                "https://build.corp/acp",
                "https://10.0.0.1:8443/acp",
                "https://localhost/acp",
                "https://127.0.0.1/acp",
                "https://[::1]/acp")) {
            assertThat(variables.proxyFor(URI.create(direct), null)).as(direct).isNull();
        }
        for (String through : List.of("https://another.example/acp", "https://10.0.0.1/acp", "https://notcorp/acp")) {
            assertThat(variables.proxyFor(URI.create(through), null))
                    .as(through)
                    .isNotNull();
        }
        assertThat(new ProxyVariables(Map.of("ALL_PROXY", "http://all:1", "NO_PROXY", "*")).proxyFor(secure, null))
                .isNull();
    }

    // ---- certificates

    @Test
    @Tag("CNX-20")
    void aServerIsTrustedByItsPinAndByNothingElse() throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "IP:127.0.0.1", 30);
        AcpRun pinned;
        AcpRun mistaken;
        AcpRun unknown;
        try (RunningServer server =
                server().tls(Tls.pem(own.certificate(), own.key())).start(agent().build()::connect)) {
            String members = "{\"servers\":{\"it\":{\"url\":\"" + server.uri() + "\"";
            config("rw-------", members + ",\"pin\":\"" + own.fingerprint() + "\"}}}");
            pinned = prompt("it").env("ACP_TOKEN", TOKEN).run();
            config("rw-------", members + ",\"pin\":\"" + own.fingerprint().replaceFirst("^..", "00") + "\"}}}");
            mistaken = prompt("it").env("ACP_TOKEN", TOKEN).run();
            config("rw-------", members + "}}}");
            unknown = prompt("it").env("ACP_TOKEN", TOKEN).run();
        }
        AcpRun noSwitch =
                acp("connect", "--insecure", "https://agents.example/acp").run();

        assertAnswered(pinned);
        assertThat(mistaken.exitCode()).isEqualTo(1);
        assertThat(mistaken.err()).contains("the pin is of another certificate");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.err()).contains("TLS with 127.0.0.1");
        assertThat(noSwitch.exitCode()).isEqualTo(2);
    }

    @Test
    @Tag("CNX-20")
    @Tag("CNX-15")
    void aServerThatAsksForACertificateGetsThatOfTheUser() throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "IP:127.0.0.1", 30);
        TestCertificate mine = TestCertificate.make(folder, "mine", "DNS:me", 30);
        config("rw-------", "{}");
        secret("mine.pem", Files.readString(mine.certificate()) + Files.readString(mine.key()));
        AcpRun shown;
        AcpRun missing;
        List<String> names = new CopyOnWriteArrayList<>();
        try (RunningServer server = Http.on(0)
                .drainTime(Duration.ZERO)
                .tls(Tls.pem(own.certificate(), own.key()).clientCertificates(mine.certificate(), true))
                .authenticator(credentials -> {
                    names.add(credentials
                            .certificates()
                            .getFirst()
                            .getSubjectX500Principal()
                            .getName());
                    return new Authenticator.Allowed(Principal.of("me"));
                })
                .start(agent().build()::connect)) {
            String members =
                    "{\"servers\":{\"it\":{\"url\":\"" + server.uri() + "\",\"ca\":\"" + own.certificate() + "\"";
            config("rw-------", members + ",\"clientCertificate\":\"mine.pem\"}}}");
            shown = prompt("it").run();
            config("rw-------", members + "}}}");
            missing = prompt("it").run();
        }

        assertAnswered(shown);
        assertThat(names).isNotEmpty().containsOnly("CN=mine");
        assertThat(missing.exitCode()).isEqualTo(1);
    }

    @Test
    @Tag("CNX-20")
    void aRedirectCarriesNothingElsewhere() throws Exception {
        List<String> elsewhere = new CopyOnWriteArrayList<>();
        AcpRun run;
        try (TestWeb other = new TestWeb(exchange -> {
                    elsewhere.add(exchange.getRequestMethod());
                    exchange.sendResponseHeaders(200, -1);
                });
                TestWeb first = new TestWeb(exchange -> {
                    exchange.getRequestBody().readAllBytes();
                    exchange.getResponseHeaders().set("Location", other.uri().toString());
                    exchange.sendResponseHeaders(307, -1);
                })) {
            run = prompt(first.uri().toString()).env("ACP_TOKEN", TOKEN).run();
        }

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("redirects are not followed").doesNotContain(TOKEN);
        assertThat(elsewhere).isEmpty();
    }

    // ---- named servers

    @Test
    @Tag("CNX-15")
    void serversHaveNamesTokensAndHeadersByReference() throws Exception {
        List<String> teams = new CopyOnWriteArrayList<>();
        AcpRun one;
        AcpRun two;
        AcpRun unknown;
        try (RunningServer first = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .authenticator(credentials -> {
                            teams.add(credentials.header("X-Team") + " " + credentials.header("X-Place") + " "
                                    + credentials.header("X-Key") + " "
                                    + credentials.bearerToken().orElse("-"));
                            return new Authenticator.Allowed(Principal.of("me"));
                        })
                        .start(agent().build()::connect);
                RunningServer second = server().start(agent().build()::connect)) {
            config(
                    "rw-------",
                    "{\"servers\":{"
                            + "\"one\":{\"url\":\"" + first.uri()
                            + "\",\"over\":\"events\",\"tokenEnv\":\"OF_ONE\",\"headers\":"
                            + "{\"X-Team\":{\"env\":\"TEAM\"},\"X-Place\":{\"file\":\"place\"},\"X-Key\":{\"command\":\"echo key\"}}},"
                            + "\"two\":{\"url\":\"" + second.uri() + "\",\"tokenFile\":\"token-of-two\"}}}");
            secret("place", "here\n");
            secret("token-of-two", TOKEN + "\n");
            one = prompt("one").env("OF_ONE", "token-one").env("TEAM", "blue").run();
            two = prompt("two").env("TEAM", "blue").run();
            unknown = prompt("three").run();
        }

        assertAnswered(one);
        assertThat(teams).isNotEmpty().containsOnly("blue here key token-one");
        assertAnswered(two);
        assertThat(unknown.err()).contains("there is no server three in", "one, two");
    }

    @Test
    @Tag("CNX-15")
    @Tag("CNX-12")
    void aFileThatOthersCanWriteOrThatHasSecretsIsNotUsed() throws Exception {
        config("rw-rw-r--", "{\"servers\":{\"it\":{\"url\":\"https://agents.example/acp\"}}}");
        AcpRun shared =
                acp("connect", "it").env("XDG_CONFIG_HOME", folder.toString()).run();
        config("rw-------", "{\"servers\":{\"it\":{\"url\":\"https://agents.example/acp\",\"token\":\"s3cret\"}}}");
        AcpRun secret =
                acp("connect", "it").env("XDG_CONFIG_HOME", folder.toString()).run();
        config(
                "rw-------",
                "{\"servers\":{\"it\":{\"url\":\"https://a.example/acp\",\"headers\":{\"X-Key\":\"s3cret\"}}}}");
        AcpRun header =
                acp("connect", "it").env("XDG_CONFIG_HOME", folder.toString()).run();

        assertThat(List.of(shared, secret, header)).allMatch(run -> run.exitCode() == 2);
        assertThat(shared.err()).contains("can be written by others");
        assertThat(secret.err()).contains("has token; expected").doesNotContain("s3cret");
        assertThat(header.err())
                .contains("has a header X-Key without a reference")
                .doesNotContain("s3cret");
    }

    // ---- WebSocket or events

    @ParameterizedTest
    @ValueSource(ints = {400, 404, 405, 406, 426, 501, 0})
    @Tag("CNX-16")
    @Tag("CNX-17")
    void whereThereIsNoWebSocketEventsAreUsed(int status) throws Exception {
        try (TcpPath path = new TcpPath("http");
                RunningServer server = server().allowedHosts(path.host()).start(agent().build()::connect)) {
            path.leadTo(server.uri());
            path.answerUpgrades(status);
            AcpRun run = prompt(path.uri().toString()).env("ACP_TOKEN", TOKEN).run();

            assertAnswered(run);
            assertThat(path.upgrades()).containsExactly("websocket");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 404})
    @Tag("CNX-17")
    void aServerThatHasOnlyHttp1WithTlsIsReachedOnEachWay(int upgrades) throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "IP:127.0.0.1", 30);
        Path both = Files.writeString(
                folder.resolve("both.pem"), Files.readString(own.certificate()) + Files.readString(own.key()));
        Path unused = Files.setPosixFilePermissions(both, PosixFilePermissions.fromString("rw-------"));
        try (TcpPath path = new TcpPath(Certificates.context(null, both));
                RunningServer server = server().allowedHosts(path.host()).start(agent().build()::connect)) {
            path.leadTo(server.uri());
            path.answerUpgrades(upgrades);
            Path unusedToo = config(
                    "rw-------",
                    "{\"servers\":{\"near\":{\"url\":\"" + path.uri() + "\",\"ca\":\"" + own.certificate() + "\"}}}");
            AcpRun run = prompt("near").env("ACP_TOKEN", TOKEN).run();

            assertAnswered(run);
            assertThat(path.upgrades()).containsExactly("websocket");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {401, 403})
    @Tag("CNX-16")
    void aCredentialThatIsRefusedIsNotHiddenByEvents(int status) throws Exception {
        try (TcpPath path = new TcpPath("http");
                RunningServer server = server().allowedHosts(path.host()).start(agent().build()::connect)) {
            path.leadTo(server.uri());
            path.answerUpgrades(status);
            AcpRun run = acp("connect", path.uri().toString())
                    .env("ACP_TOKEN", TOKEN)
                    .input("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                            + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n")
                    .run();

            assertThat(run.exitCode()).as(run.err()).isEqualTo(9);
            assertThat(run.out()).contains("\"error\"", "was answered " + status);
        }
    }

    // ---- credentials

    @Test
    @Tag("CNX-12")
    void aTokenIsNeitherTakenAsAWordNorShown() throws Exception {
        String secret = "planted-token-that-is-long-enough";
        Path trace = folder.resolve("trace.jsonl");
        AcpRun word;
        AcpRun refused;
        try (RunningServer server = server().start(agent().build()::connect)) {
            word = acp("connect", "--token", secret, server.uri().toString()).run();
            refused = acp(
                            "connect",
                            "-v",
                            "--trace",
                            trace.toString(),
                            server.uri().toString())
                    .env("ACP_TOKEN", secret)
                    .input("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
                            + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n")
                    .run();
        }

        assertThat(word.exitCode()).isEqualTo(2);
        assertThat(word.err())
                .contains("--token is not taken", "--token-env, --token-file or --token-command")
                .doesNotContain(secret);
        assertThat(refused.exitCode()).isEqualTo(9);
        assertThat(refused.out() + refused.err() + Files.readString(trace)).doesNotContain(secret);
    }

    @Test
    @Tag("CNX-15")
    void noFileOfAProjectNamesAServer() throws Exception {
        Path project = Files.createDirectories(folder.resolve("project"));
        Path run = folder.resolve("run");
        for (String place : List.of("", ".acp", "acp", ".config/acp")) {
            Files.writeString(
                    Files.createDirectories(project.resolve(place)).resolve("servers.json"),
                    "{\"servers\":{\"it\":{\"url\":\"http://127.0.0.1:1/acp\",\"tokenCommand\":\"echo run >" + run
                            + "\"}}}");
        }
        AcpRun connect = acp("connect", "it")
                .env("XDG_CONFIG_HOME", folder.resolve("empty").toString())
                .in(project)
                .run();

        assertThat(connect.exitCode()).isEqualTo(2);
        assertThat(connect.err()).contains("the name of a server in", "which is not there; got it");
        assertThat(run).doesNotExist();
    }

    @Test
    @Tag("CNX-13")
    @Tag("DUR-26")
    void aCommandForTheTokenRunsAgainWhenItIsRefusedAndTwiceRefusedIsTheEnd() throws Exception {
        Path token = secretFile("first-token");
        Path runs = folder.resolve("runs");
        AtomicReference<String> good = new AtomicReference<>("first-token");
        AtomicInteger refused = new AtomicInteger();
        LinkedBlockingQueue<String> streams = new LinkedBlockingQueue<>();
        try (RunningServer server = Http.on(0)
                        .drainTime(Duration.ZERO)
                        .onEvent(event -> {
                            String name = event.getClass().getSimpleName();
                            if (name.startsWith("Stream")) {
                                streams.add(name);
                            }
                        })
                        .authenticator(credentials -> {
                            boolean isGood =
                                    credentials.bearerToken().orElse("").equals(good.get());
                            int unused = isGood ? 0 : refused.incrementAndGet();
                            return isGood
                                    ? new Authenticator.Allowed(Principal.of("me"))
                                    : new Authenticator.Refused("Bearer");
                        })
                        .start(agent().build()::connect);
                RawEditor editor = new RawEditor(acp(
                        "connect",
                        "--over",
                        "events",
                        "--token-command",
                        "echo run >>" + runs + "; cat " + token,
                        server.uri().toString()))) {
            String session = editor.open("{}");
            // Those of the connection and of the session.
            assertThat(List.of(streams.take(), streams.take())).containsOnly("StreamOpened");
            good.set("second-token");
            Files.writeString(token, "second-token\n");
            editor.prompt("one", session, "Hello.");
            assertThat(editor.await("\"one\"")).contains("end_turn");
            assertThat(Files.readAllLines(runs)).hasSize(2);
            assertThat(refused.get()).isPositive();
            // They were not opened again with the newer token.
            assertThat(streams).isEmpty();
            good.set("third-token");
            editor.prompt("two", session, "Hello.");

            assertThat(editor.awaitExit()).isEqualTo(9);
            assertThat(editor.err).anyMatch(line -> line.contains("check the credential"));
            assertThat(editor.err).noneMatch(line -> line.contains("-token\""));
        }
    }

    private Path secretFile(String text) throws Exception {
        Files.createDirectories(folder.resolve("acp"));
        return secret("token", text + "\n");
    }

    @Test
    @Tag("CNX-26")
    void aPromptWhoseOutcomeIsUnknownIsNotRunTwice() throws Exception {
        AtomicInteger prompts = new AtomicInteger();
        try (TcpPath path = new TcpPath("http")) {
            AtomicReference<RunningServer> second = new AtomicReference<>();
            Agent agent = Agent.builder("remote", "1.0")
                    .onResumeSession(session -> {})
                    .onPrompt(turn -> {
                        int unused = prompts.incrementAndGet();
                        // From here on another server is there, which knows nothing of this.
                        path.leadTo(second.get().uri());
                        path.cut();
                        turn.message("late");
                    })
                    .build();
            HttpServer description = server().allowedHosts(path.host());
            try (RunningServer first = description.start(agent::connect);
                    RunningServer other = description.start(agent::connect)) {
                second.set(other);
                path.leadTo(first.uri());
                AcpRun run =
                        prompt(path.uri().toString()).env("ACP_TOKEN", TOKEN).run();

                assertThat(run.exitCode()).isEqualTo(1);
                assertThat(run.err()).contains("the outcome is unknown");
                assertThat(prompts).hasValue(1);
            }
        }
    }

    // ---- as a local one

    @ParameterizedTest
    @ValueSource(strings = {"events", "websocket"})
    @Tag("CNX-01")
    void theDoctorOfAgentsFindsNoDifferenceToALocalAgent(String over) throws Exception {
        try (RunningServer server =
                server().start(agent().onLoadSession(session -> {}).build()::connect)) {
            List<String> connect = AcpRun.java(Acp.class);
            String[] command = new String[connect.size() + 4];
            connect.toArray(command);
            command[connect.size()] = "connect";
            command[connect.size() + 1] = "--over";
            command[connect.size() + 2] = over;
            command[connect.size() + 3] = server.uri().toString();
            AcpRun run = acp("doctor", "--env", "ACP_TOKEN=" + TOKEN, "--prompt", "Hello.")
                    .agent(command)
                    .run();

            assertThat(run.exitCode()).as(run.out()).isZero();
            assertThat(run.out()).contains("no problems found");
        }
    }
}
