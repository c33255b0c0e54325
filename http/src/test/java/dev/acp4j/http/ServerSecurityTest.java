package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What a server does before it believes anybody, over real sockets. */
class ServerSecurityTest {
    private static RunningServer serve(HttpServer server) throws IOException {
        return server.drainTime(Duration.ZERO).start(TestAgent.create()::connect);
    }

    @Test
    @Tag("HST-21")
    void nothingListensBeyondThisMachineWithoutTlsAuthenticationAndNames() throws Exception {
        HttpServer open = Http.on(0).address("0.0.0.0");
        HttpServer behindProxy = open.trustedProxies(InetAddress.getByName("192.0.2.1"));

        assertThatThrownBy(() -> serve(open))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("TLS");
        assertThatThrownBy(() -> serve(behindProxy.authenticator(Authenticator.none())))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("authentication");
        assertThatThrownBy(() -> serve(behindProxy))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("allowedHosts");
        try (RunningServer server = serve(behindProxy.allowedHosts("agents.example"))) {
            assertThat(server.token()).isPresent();
        }
    }

    @Test
    void aPortThatIsTakenIsNamed() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> serve(Http.on(taken.getLocalPort())))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + taken.getLocalPort());
        }
    }

    /** Sends bytes as they are. Returns the status line; empty when the connection is closed without one. */
    private static String status(RunningServer server, String request) throws Exception {
        try (Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), server.uri().getPort())) {
            socket.setSoTimeout(60_000);
            OutputStream out = socket.getOutputStream();
            out.write(request.getBytes(StandardCharsets.ISO_8859_1));
            out.flush();
            String answer = new String(socket.getInputStream().readNBytes(12), StandardCharsets.ISO_8859_1);
            return answer.replace("HTTP/1.1 ", "");
        }
    }

    @Test
    @Tag("HTS-39")
    @Tag("HST-25")
    void aForeignHostIsRefusedInEveryForm() throws Exception {
        try (RunningServer server = serve(Http.on(0))) {
            String own = "127.0.0.1:" + server.uri().getPort();
            String rest = "\r\nAccept: text/event-stream\r\nAuthorization: Bearer "
                    + server.token().orElseThrow() + "\r\n\r\n";

            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: " + own + rest))
                    .isEqualTo("400");
            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: evil.example" + rest))
                    .isEqualTo("403");
            assertThat(status(server, "GET http://evil.example/acp HTTP/1.1\r\nHost: " + own + rest))
                    .isIn("400", "403");
            assertThat(status(server, "GET http://" + own + "/acp HTTP/1.1\r\nHost: evil.example" + rest))
                    .isIn("400", "403");
            assertThat(status(server, "GET /acp HTTP/1.1\r\nHost: " + own + "\r\nHost: evil.example" + rest))
                    .isEqualTo("400");
            assertThat(status(server, "GET /acp HTTP/1.0" + rest)).isEqualTo("403");
        }
    }

    @Test
    @Tag("HTS-38")
    @Tag("HST-24")
    void aPageElsewhereIsRefusedBeforeItsBodyIsRead() throws Exception {
        try (RunningServer server = serve(Http.on(0))) {
            String head = "POST /acp HTTP/1.1\r\nHost: 127.0.0.1:"
                    + server.uri().getPort() + "\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n";
            for (String origin : new String[] {"https://example.org", "http://127.0.0.1:3000", "null", "file://"}) {
                // The body never comes.
                assertThat(status(server, head + "Origin: " + origin + "\r\n\r\n"))
                        .as(origin)
                        .isEqualTo("403");
            }
        }
    }

    @Test
    @Tag("HTS-03")
    void aBodyOverTheLimitIsRefusedDeclaredOrNot() throws Exception {
        HttpServer small = Http.on(0).limits(ServerLimits.STANDARD.withMessageBytes(100_000));
        try (RunningServer server = serve(small);
                RawClient client = new RawClient(server)) {
            String large = "\"" + "x".repeat(200_000) + "\"";
            HttpRequest.BodyPublisher unknown = HttpRequest.BodyPublishers.ofInputStream(
                    () -> new java.io.ByteArrayInputStream(large.getBytes(StandardCharsets.UTF_8)));

            assertThat(client.post(large).statusCode()).isEqualTo(413);
            assertThat(client.http
                            .send(
                                    client.request("Content-Type", "application/json")
                                            .POST(unknown)
                                            .build(),
                                    HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(413);
            assertThat(client.initialize()).contains("result");
        }
    }

    @Test
    @Tag("HST-41")
    void whatProxiesSayCountsFromTrustedOnesOnly() throws Exception {
        List<String> seen = new ArrayList<>();
        Authenticator listening = credentials -> {
            seen.add(credentials.address());
            return new Authenticator.Refused("Bearer");
        };
        HttpServer plain = Http.on(0).authenticator(listening);
        HttpServer trusting =
                plain.trustedProxies(InetAddress.getLoopbackAddress()).allowedHosts("agents.example");
        try (RunningServer server = serve(plain);
                RunningServer behind = serve(trusting);
                RawClient client = new RawClient(server);
                RawClient proxied = new RawClient(behind)) {
            client.post("{}", "X-Forwarded-For", "192.0.2.7", "X-Forwarded-Host", "agents.example");
            proxied.post("{}", "X-Forwarded-For", "192.0.2.7", "X-Forwarded-Host", "agents.example");
        }

        assertThat(seen).containsExactly("127.0.0.1", "192.0.2.7");
    }

    @Test
    @Tag("HST-43")
    void aThousandStreamsOfOneConnectionLiveAndEndTogether() throws Exception {
        try (RunningServer server = serve(Http.on(0).limits(ServerLimits.STANDARD.withStreams(4000, 2000)));
                RawClient client = new RawClient(
                        server.uri(), HttpClient.Version.HTTP_2, server.token().orElseThrow())) {
            client.initialize();
            RawClient.Events own = client.stream("X-Padding", "x".repeat(20_000));
            List<RawClient.Events> streams = new ArrayList<>();
            for (int i = 0; i < 1000; i++) {
                RawClient.Events stream = client.stream("Acp-Session-Id", "s" + i);
                assertThat(stream.status()).isEqualTo(200);
                streams.add(stream);
            }
            streams.forEach(RawClient.Events::close);
            client.post("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/list\",\"params\":{}}");

            assertThat(own.status()).isEqualTo(200);
            assertThat(own.data()).contains("\"id\":1");
        }
    }

    // TLS.

    static SSLContext trusting(KeyStore authorities, @Nullable KeyStore own) throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(authorities);
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(own, "secret".toCharArray());
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(own == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), new SecureRandom());
        return context;
    }

    private static void run(Path folder, String... command) throws Exception {
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        String output;
        try (InputStream in = process.getInputStream()) {
            output = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        assertThat(process.waitFor()).as(output).isZero();
    }

    /** Makes a key and a certificate that it signs itself, as PEM files and as a key store. */
    static KeyStore certificate(Path folder, String name) throws Exception {
        run(
                folder,
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-keyout",
                name + "-key.pem",
                "-out",
                name + ".pem",
                "-days",
                "2",
                "-subj",
                "/CN=" + name,
                "-addext",
                "subjectAltName=IP:127.0.0.1,DNS:localhost");
        run(
                folder,
                "openssl",
                "pkcs12",
                "-export",
                "-in",
                name + ".pem",
                "-inkey",
                name + "-key.pem",
                "-out",
                name + ".p12",
                "-passout",
                "pass:secret",
                "-name",
                name);
        return KeyStore.getInstance(folder.resolve(name + ".p12").toFile(), "secret".toCharArray());
    }

    static KeyStore authority(KeyStore of, String name) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(name, of.getCertificate(name));
        return store;
    }

    private static HttpResponse<String> initialize(RunningServer server, HttpClient client) throws Exception {
        return client.send(
                HttpRequest.newBuilder(server.uri())
                        .header("Content-Type", "application/json")
                        .header("Authorization", "Bearer " + server.token().orElse("none"))
                        .POST(HttpRequest.BodyPublishers.ofString(RawClient.INITIALIZE))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @ParameterizedTest
    @EnumSource(HttpClient.Version.class)
    @Tag("HST-21")
    @Tag("HTS-42")
    void overTlsTheVersionOfHttpIsAgreed(HttpClient.Version version, @TempDir Path folder) throws Exception {
        KeyStore keys = certificate(folder, "server");
        Tls tls = version == HttpClient.Version.HTTP_2
                ? Tls.pem(folder.resolve("server.pem"), folder.resolve("server-key.pem"))
                : Tls.of(keys, "secret");
        try (RunningServer server = serve(Http.on(0).tls(tls));
                HttpClient client = HttpClient.newBuilder()
                        .version(version)
                        .sslContext(trusting(authority(keys, "server"), null))
                        .build()) {
            HttpResponse<String> answer = initialize(server, client);

            assertThat(server.uri().getScheme()).isEqualTo("https");
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.version()).isEqualTo(version);
        }
    }

    @Test
    @Tag("HST-20")
    void aCertificateSaysWhoAClientIs(@TempDir Path folder) throws Exception {
        KeyStore keys = certificate(folder, "server");
        KeyStore alice = certificate(folder, "alice");
        Tls tls = Tls.of(keys, "secret").clientCertificates(folder.resolve("alice.pem"), true);
        List<String> names = new ArrayList<>();
        HttpServer configuration = Http.on(0).tls(tls).authenticator(credentials -> {
            names.add(
                    credentials.certificates().get(0).getSubjectX500Principal().getName());
            return new Authenticator.Allowed(Principal.of("alice"));
        });
        try (RunningServer server = serve(configuration);
                HttpClient known = HttpClient.newBuilder()
                        .sslContext(trusting(authority(keys, "server"), alice))
                        .build();
                HttpClient stranger = HttpClient.newBuilder()
                        .sslContext(trusting(authority(keys, "server"), null))
                        .build()) {
            assertThat(initialize(server, known).statusCode()).isEqualTo(200);
            assertThat(names).containsExactly("CN=alice");
            assertThatThrownBy(() -> initialize(server, stranger)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void aFileThatIsNoKeyIsNamed(@TempDir Path folder) throws Exception {
        KeyStore unused = certificate(folder, "server");

        assertThatThrownBy(() -> Tls.pem(folder.resolve("server.pem"), folder.resolve("server.pem")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server.pem")
                .hasMessageContaining("BEGIN PRIVATE KEY");
        assertThatThrownBy(() -> Tls.pem(folder.resolve("server-key.pem"), folder.resolve("server-key.pem")))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("server-key.pem");
    }
}
