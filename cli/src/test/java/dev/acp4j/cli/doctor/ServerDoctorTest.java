package dev.acp4j.cli.doctor;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import dev.acp4j.Agent;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.cli.connect.TcpPath;
import dev.acp4j.cli.connect.TestCertificate;
import dev.acp4j.cli.connect.TestWeb;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.Tls;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@code acp doctor URL} finds out about servers, and what is before them. */
@Timeout(120)
@Tag("CNX-25")
class ServerDoctorTest {
    private static final String TOKEN = "a-token-that-is-long-enough";

    @TempDir
    private Path folder;

    private static Agent agent() {
        return Agent.builder("remote", "1.0")
                .onPrompt(turn -> turn.message("You said: " + turn.text()))
                .build();
    }

    private static HttpServer server() {
        return Http.on(0).tokens(BearerTokens.of("me", TOKEN)).drainTime(Duration.ZERO);
    }

    private static AcpRun doctor(URI uri, String... options) {
        return doctor(TOKEN, uri, options);
    }

    private static AcpRun doctor(String token, URI uri, String... options) {
        String[] words = new String[options.length + 2];
        words[0] = "doctor";
        System.arraycopy(options, 0, words, 1, options.length);
        words[words.length - 1] = uri.toString();
        return acp(words).env("ACP_TOKEN", token).env("NO_PROXY", "*").run();
    }

    @Test
    void aGoodServerIsSaidToBeSoStepByStep() throws Exception {
        AcpRun run;
        AcpRun json;
        try (RunningServer server = server().start(agent()::connect)) {
            run = doctor(server.uri());
            json = doctor(server.uri(), "--json", "--idle", "1s");
        }

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.err()).isEmpty();
        assertThat(run.out())
                .containsPattern("✓ name +127.0.0.1\n")
                .containsPattern("✓ tcp +connected to 127.0.0.1 port \\d+ after \\d+ ms\n")
                .containsPattern("✓ proxy +none\n")
                .containsPattern("✓ tls +none: http on this machine\n")
                .containsPattern("✓ credential +the server takes that of the environment variable ACP_TOKEN\n")
                .containsPattern("✓ initialize +an agent answers, with version 1 of the protocol: remote 1.0\n")
                .containsPattern("✓ http +HTTP/1.1: each stream has a connection of its own\n")
                .containsPattern("✓ events +what the agent says arrives after \\d+ ms\n")
                .containsPattern("✓ resumption +cut, and gone on with: nothing was lost")
                .containsPattern("✓ websocket +initialize was answered after \\d+ ms\n")
                .containsPattern("─ idle +not watched without --idle TIME\n")
                .containsPattern("✓ end +the server has ended the connection\n")
                .endsWith("no problems found: the server works\n");
        assertThat(json.exitCode()).isZero();
        assertThat(json.lines()).hasSize(ServerDoctor.STEPS.size() + 1);
        assertThat(json.lines().subList(0, ServerDoctor.STEPS.size()))
                .allMatch(line -> line.contains("\"type\":\"step\"") && line.contains("\"status\":\"ok\""));
        assertThat(json.out()).contains("open after 1 s; the longest silence was");
        assertThat(json.lines()).last().asString().startsWith("{\"type\":\"summary\",\"status\":\"ok\"");
    }

    @Test
    void whatTheServerHasNotIsAWarning() throws Exception {
        AcpRun run;
        try (RunningServer server = server().webSocket(false).durable(false).start(agent()::connect)) {
            run = doctor(server.uri());
        }

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsPattern("! resumption +the server cannot resume streams\n")
                .containsPattern("! websocket +no WebSocket: the request for one is answered 426\n")
                .contains("next:  acp uses events instead.")
                .endsWith("2 warnings: the server works\n");
    }

    @Test
    void aCredentialThatIsMissingOrRefusedIsAProblem() throws Exception {
        AcpRun missing;
        AcpRun wrong;
        try (RunningServer server = server().start(agent()::connect)) {
            missing = doctor("", server.uri());
            wrong = doctor("another-token-that-is-long", server.uri());
        }

        assertThat(missing.exitCode()).isEqualTo(7);
        assertThat(missing.out())
                .containsPattern("✗ credential +the server asks for a token, and there is none\n")
                .contains("a token comes from ACP_TOKEN, --token-env, --token-file or --token-command")
                .contains("| Bearer")
                .contains("skipped, because of the above: initialize, http, events");
        assertThat(wrong.exitCode()).isEqualTo(7);
        assertThat(wrong.out())
                .contains("the server answers 401 to the token of the environment variable ACP_TOKEN")
                .doesNotContain("another-token-that-is-long");
    }

    @Test
    void aCertificateIsTrustedPinnedOrExplained() throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "IP:127.0.0.1", 2);
        TestCertificate other = TestCertificate.make(folder, "other", "DNS:agents.example", 2);
        AcpRun unknown;
        AcpRun trusted;
        AcpRun pinned;
        AcpRun mistaken;
        try (RunningServer server =
                server().tls(Tls.pem(own.certificate(), own.key())).start(agent()::connect)) {
            unknown = doctor(server.uri());
            trusted = doctor(server.uri(), "--ca", own.certificate().toString());
            pinned = doctor(server.uri(), "--pin", own.fingerprint());
            mistaken = doctor(server.uri(), "--pin", other.fingerprint());
        }
        AcpRun misnamed;
        try (RunningServer server =
                server().tls(Tls.pem(other.certificate(), other.key())).start(agent()::connect)) {
            misnamed = doctor(server.uri(), "--ca", other.certificate().toString());
        }

        assertThat(unknown.exitCode()).isEqualTo(7);
        assertThat(unknown.out())
                .containsPattern("✗ tls +the certificate is not trusted here\n")
                .contains("cause: The server has signed it itself.", "--ca FILE", "SHA-256 " + own.fingerprint());
        assertThat(trusted.exitCode()).as(trusted.out()).isZero();
        assertThat(trusted.out())
                .containsPattern("! tls +TLSv1.3 with h2; certificate valid until .*, that is 1 day\n")
                .containsPattern("✓ http +HTTP/2: all streams share a connection\n")
                .containsPattern("✓ resumption +cut, and gone on with")
                .containsPattern("✓ websocket +initialize was answered");
        assertThat(pinned.exitCode()).as(pinned.out()).isZero();
        assertThat(mistaken.exitCode()).isEqualTo(7);
        assertThat(mistaken.out())
                .containsPattern("✗ tls +the pin is of another certificate\n")
                .contains("SHA-256 " + own.fingerprint());
        assertThat(misnamed.exitCode()).isEqualTo(7);
        assertThat(misnamed.out())
                .containsPattern("✗ tls +the certificate is not for 127.0.0.1\n")
                .contains("| for agents.example");
    }

    @Test
    void aServerWithoutTlsOrWithoutAnAgentOrWithoutAnything() throws Exception {
        AcpRun cleartext;
        AcpRun web;
        try (TestWeb server = new TestWeb(exchange -> {
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            byte[] page = "<p>Nothing here.".getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(404, page.length);
            exchange.getResponseBody().write(page);
        })) {
            cleartext = doctor(URI.create(server.uri().toString().replace("http:", "https:")));
            web = doctor(server.uri());
        }
        AcpRun nobody = doctor(URI.create("http://127.0.0.1:1/acp"));

        assertThat(cleartext.exitCode()).isEqualTo(7);
        assertThat(cleartext.out()).contains("speaks no TLS", "next:  Give the server a certificate");
        assertThat(web.exitCode()).isEqualTo(7);
        assertThat(web.out())
                .containsPattern("✗ initialize +no agent answers at /acp: 404, text/html\n")
                .contains("| <p>Nothing here.", "the usual path is /acp");
        assertThat(nobody.exitCode()).isEqualTo(7);
        assertThat(nobody.out()).containsPattern("✗ tcp +nothing listens at 127.0.0.1 port 1\n");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aProxyThatBuffersIsFound(boolean passesHeaders) throws Exception {
        AcpRun run;
        try (RunningServer server = server().webSocket(false).start(agent()::connect);
                HttpClient client = HttpClient.newHttpClient();
                TestWeb proxy = new TestWeb(exchange -> buffer(client, server.uri(), exchange, passesHeaders))) {
            run = doctor(proxy.uri());
        }

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(7);
        assertThat(run.out())
                .containsPattern(
                        passesHeaders
                                ? "✗ events +what the agent says arrives only when the stream ends\n"
                                : "✗ events +not even the headers of the stream arrive within 5 s\n")
                .contains(
                        "A proxy on the way keeps what the server sends until a buffer is full.", "X-Accel-Buffering");
    }

    /** Passes a request on, and keeps what the server answers until it is whole. */
    private static void buffer(HttpClient client, URI server, HttpExchange exchange, boolean passesHeaders)
            throws IOException {
        HttpRequest.Builder request = HttpRequest.newBuilder(server)
                .version(HttpClient.Version.HTTP_1_1)
                .method(
                        exchange.getRequestMethod(),
                        HttpRequest.BodyPublishers.ofByteArray(
                                exchange.getRequestBody().readAllBytes()));
        for (String name : List.of("Authorization", "Content-Type", "Accept", "Acp-Connection-Id", "Last-Event-ID")) {
            List<String> values = exchange.getRequestHeaders().getOrDefault(name, List.of());
            values.forEach(value -> request.header(name, value));
        }
        try {
            HttpResponse<InputStream> response =
                    client.send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
            for (String name : List.of("Content-Type", "Acp-Connection-Id")) {
                response.headers()
                        .firstValue(name)
                        .ifPresent(value -> exchange.getResponseHeaders().set(name, value));
            }
            if (passesHeaders) {
                exchange.sendResponseHeaders(response.statusCode(), 0);
                exchange.getResponseBody().flush();
            }
            byte[] whole = response.body().readAllBytes();
            if (!passesHeaders) {
                exchange.sendResponseHeaders(response.statusCode(), whole.length == 0 ? -1 : whole.length);
            }
            exchange.getResponseBody().write(whole);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whoCutsAnIdleStreamIsReported() throws Exception {
        AcpRun run;
        try (TcpPath path = new TcpPath("http");
                RunningServer server =
                        server().webSocket(false).allowedHosts(path.host()).start(agent()::connect)) {
            path.leadTo(server.uri());
            path.cutIdle(Duration.ofSeconds(2));
            run = doctor(path.uri(), "--idle", "60s");
        }

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsPattern("! idle +the stream was cut after 2 s: ")
                .contains("cause: A proxy or a firewall on the way ends what is idle");
    }

    @Test
    void whatDoesNotBelongTogetherIsMisuse() {
        AcpRun command =
                acp("doctor", "https://agents.example/acp").agent("my-agent").run();
        AcpRun idle = acp("doctor", "--idle", "5s").agent("my-agent").run();
        AcpRun cleartext = acp("doctor", "http://agents.example/acp").run();
        AcpRun name = acp("doctor", "my-agent")
                .env("XDG_CONFIG_HOME", folder.toString())
                .run();

        assertThat(List.of(command, idle, cleartext)).allMatch(run -> run.exitCode() == 2);
        assertThat(name.exitCode()).isEqualTo(1);
        assertThat(command.err()).contains("are for agents that are started here");
        assertThat(idle.err()).contains("--idle is for remote agents");
        assertThat(cleartext.err()).contains("not encrypted");
        assertThat(name.err())
                .contains("acp agents add my-agent", "A server needs a URL", "the command of an agent goes after --");
    }
}
