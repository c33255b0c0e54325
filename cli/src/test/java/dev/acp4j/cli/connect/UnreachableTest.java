package dev.acp4j.cli.connect;

import static dev.acp4j.cli.AcpRun.acp;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.Agent;
import dev.acp4j.cli.AcpRun;
import dev.acp4j.http.Authenticator;
import dev.acp4j.http.BearerTokens;
import dev.acp4j.http.Http;
import dev.acp4j.http.HttpServer;
import dev.acp4j.http.RunningServer;
import dev.acp4j.http.Tls;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an editor is answered, and what to do, when {@code acp connect} finds no agent. */
@Timeout(120)
@Tag("CNX-03")
class UnreachableTest {
    private static final String INITIALIZE = "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\","
            + "\"params\":{\"protocolVersion\":1,\"clientCapabilities\":{}}}\n";

    @TempDir
    private Path folder;

    private static AcpRun.Builder connect(String url, String... variable) {
        AcpRun.Builder run = acp("connect", url)
                .env("HTTPS_PROXY", "")
                .env("https_proxy", "")
                .env("NO_PROXY", "")
                .env("no_proxy", "");
        return variable.length == 0 ? run : run.env(variable[0], variable[1]);
    }

    /** Returns the answer to {@code initialize} of an editor that stays, behind which the process ends by itself. */
    private static String failure(AcpRun.Builder connect, int exitCode) throws Exception {
        try (RawEditor editor = new RawEditor(connect)) {
            editor.process.getOutputStream().write(INITIALIZE.getBytes(StandardCharsets.UTF_8));
            editor.process.getOutputStream().flush();
            String answer = editor.await("\"id\":0");
            assertThat(editor.process.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(editor.process.exitValue()).as(answer).isEqualTo(exitCode);
            assertThat(editor.out).hasSize(1);
            return answer;
        }
    }

    private static HttpServer server() {
        return Http.on(0)
                .tokens(BearerTokens.of("me", "a-token-that-is-long-enough"))
                .drainTime(Duration.ZERO);
    }

    private static Agent agent() {
        return Agent.builder("remote", "1.0").onPrompt(turn -> {}).build();
    }

    @ParameterizedTest
    @CsvSource({
        "https://no-such-host.invalid/acp,there is no host no-such-host.invalid: check the address and the network",
        "http://127.0.0.1:1/acp,nothing listens at 127.0.0.1:1: is the server running?",
        "ws://127.0.0.1:1/acp,nothing listens at 127.0.0.1:1: is the server running?"
    })
    void anAddressThatLeadsNowhere(String url, String said) throws Exception {
        assertThat(failure(connect(url), 1)).contains("\"error\"", said);
    }

    @ParameterizedTest
    @ValueSource(strings = {"https", "wss"})
    void aProxyThatIsNotThereOrRefuses(String scheme) throws Exception {
        String url = scheme + "://agents.example/acp";
        assertThat(failure(connect(url, "HTTPS_PROXY", "http://127.0.0.1:1"), 1))
                .contains("the proxy 127.0.0.1:1 on the way to agents.example cannot be reached: check its address");
        try (ConnectProxy proxy = new ConnectProxy(1, "me:password")) {
            assertThat(failure(connect(url, "HTTPS_PROXY", "http://" + proxy.address()), 1))
                    .contains("407", "the proxy " + proxy.address() + " wants a user and a password");
        }
    }

    @Test
    void aCertificateThatIsNotTrusted() throws Exception {
        TestCertificate own = TestCertificate.make(folder, "own", "IP:127.0.0.1", 30);
        try (RunningServer server =
                server().tls(Tls.pem(own.certificate(), own.key())).start(agent()::connect)) {
            assertThat(failure(connect(server.uri().toString()), 1))
                    .contains(
                            "TLS with 127.0.0.1",
                            "if it is the right server, trust its certificate with --ca FILE or --pin SHA256");
        }
    }

    @Test
    void aCredentialThatIsRefused() throws Exception {
        try (RunningServer server = server().start(agent()::connect);
                RunningServer forbids = Http.on(0)
                        .authenticator(credentials -> new Authenticator.Forbidden())
                        .start(agent()::connect)) {
            assertThat(failure(connect(server.uri().toString(), "ACP_TOKEN", "wrong-wrong-wrong-wrong"), 9))
                    .contains("401", "check the credential");
            assertThat(failure(connect(forbids.uri().toString()), 9)).contains("403", "check the credential");
        }
    }

    @ParameterizedTest
    @CsvSource({"200,is no agent", "404,was answered 404"})
    void aSiteForPeople(int status, String said) throws Exception {
        try (TestWeb web = new TestWeb(exchange -> {
            exchange.getRequestBody().readAllBytes();
            byte[] page = "<!DOCTYPE html><title>Welcome</title>".getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(status, page.length);
            exchange.getResponseBody().write(page);
        })) {
            String answer = failure(connect(web.uri().toString()), 1);
            assertThat(answer).contains(said, "check the path of the address");
            // Programs get the page, and people what it means.
            assertThat(answer.replaceFirst("\"data\".*", "")).doesNotContain("Welcome");
        }
    }
}
