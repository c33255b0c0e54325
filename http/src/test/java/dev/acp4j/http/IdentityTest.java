package dev.acp4j.http;

import static dev.acp4j.http.EndpointFixture.call;
import static dev.acp4j.http.EndpointFixture.headers;
import static dev.acp4j.http.EndpointFixture.update;
import static org.assertj.core.api.Assertions.assertThat;

import dev.acp4j.rpc.Message;
import dev.acp4j.testkit.TestAgent;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who a client is: what it shows, what it hears when that does not count, and how much it may do. */
class IdentityTest {
    private static final String ALICE = "alice-token-of-some-length";
    private static final String BOB = "bob-token-of-some-length";

    @TempDir
    private Path folder;

    /** Tokens that begin with the name of their user. */
    private static final Authenticator NAMED = credentials -> credentials
            .bearerToken()
            .filter(token -> token.endsWith("-token-of-some-length"))
            .<Authenticator.Outcome>map(
                    token -> new Authenticator.Allowed(Principal.of(token.substring(0, token.indexOf('-')))))
            .orElse(new Authenticator.Refused("Bearer"));

    @Test
    @Tag("HST-16")
    void aTokenThatIsRevokedEndsItsStreamsWithoutARestart() throws Exception {
        Path tokens = Files.createFile(
                folder.resolve("tokens"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(tokens, "alice " + ALICE + "\nbob " + BOB + "\n");
        try (RunningServer server = Http.on(0)
                        .tokens(BearerTokens.read(tokens))
                        .drainTime(Duration.ZERO)
                        .start(TestAgent.create()::connect);
                RawClient alice = new RawClient(server.uri(), HttpClient.Version.HTTP_1_1, ALICE);
                RawClient bob = new RawClient(server.uri(), HttpClient.Version.HTTP_1_1, BOB)) {
            alice.initialize();
            bob.initialize();
            RawClient.Events revoked = alice.stream();
            RawClient.Events other = bob.stream();
            long begin = System.nanoTime();
            Files.writeString(tokens, "bob " + BOB + "\n");
            String end = revoked.data();
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            bob.post(call(1, "session/list", ""));

            assertThat(end).isEqualTo("end");
            assertThat(took).isLessThan(Duration.ofSeconds(5));
            assertThat(other.data()).contains("\"id\":1");
            assertThat(alice.post(call(1, "session/list", "")).statusCode()).isEqualTo(401);
        }
    }

    @Test
    @Tag("HST-17")
    void whatIsRefusedTellsNothingOfWhatThereIs() throws Exception {
        EndpointFixture server = new EndpointFixture(Http.on(0), NAMED);
        FakeExchange alices = FakeExchange.post(RawClient.INITIALIZE).with("Authorization", "Bearer " + ALICE);
        Thread waiting = Thread.ofVirtual().start(() -> {
            try {
                server.handle(alices);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        var agent = server.agents.take();
        assertThat(agent.reader().read()).isNotNull();
        agent.writer().write(Message.parse(EndpointFixture.ANSWER));
        waiting.join();
        String id = headers(alices).getOrDefault("Acp-Connection-Id", "");
        for (String method : List.of("POST", "GET", "DELETE", "upgrade")) {
            FakeExchange foreign = server.handle(request(method, id, BOB));
            FakeExchange unknown = server.handle(request(method, "never-was", BOB));

            assertThat(id).isNotEmpty();
            assertThat(foreign.status()).as(method).isEqualTo(404);
            assertThat(foreign.text()).isEqualTo(unknown.text());
            assertThat(headers(foreign)).isEqualTo(headers(unknown));
        }
        String missing = server.handle(request("GET", id, "")).text();

        assertThat(server.handle(request("GET", id, "wrong")).text()).isEqualTo(missing);
        assertThat(server.handle(request("GET", "never-was", "wrong")).text()).isEqualTo(missing);
    }

    private static FakeExchange request(String method, String connection, String token) {
        FakeExchange exchange = method.equals("POST")
                ? FakeExchange.post(call(1, "session/list", ""))
                : new FakeExchange(method.equals("upgrade") ? "GET" : method);
        exchange.upgrades = method.equals("upgrade");
        exchange.with("Accept", "text/event-stream").with("Acp-Connection-Id", connection);
        return token.isEmpty() ? exchange.without("Authorization") : exchange.with("Authorization", "Bearer " + token);
    }

    @Test
    @Tag("HST-20")
    void theNameInACertificateIsThePrincipalAndOthersShowATokenIfTheyMay() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        KeyStore alice = Certificates.make(folder, "alice", "DNS:localhost,email:alice@example.org");
        KeyStore nameless = Certificates.make(folder, "nameless", "IP:127.0.0.1");
        Path authorities = folder.resolve("authorities.pem");
        Files.writeString(
                authorities,
                Files.readString(folder.resolve("alice.pem")) + Files.readString(folder.resolve("nameless.pem")));
        List<String> seen = new CopyOnWriteArrayList<>();
        try (RunningServer server = Http.on(0)
                        .tls(Tls.of(keys, "secret").clientCertificates(authorities, false))
                        .authenticator(CertificateNames.orElse(NAMED))
                        .drainTime(Duration.ZERO)
                        .start(client -> {
                            seen.add(client.principal().name());
                            TestAgent.create().connect(client);
                        });
                RawClient withCertificate = client(server, "", keys, alice);
                RawClient withToken = client(server, BOB, keys, null);
                RawClient withoutName = client(server, BOB, keys, nameless);
                RawClient without = client(server, "", keys, null)) {
            assertThat(withCertificate.post(RawClient.INITIALIZE).statusCode()).isEqualTo(200);
            assertThat(withToken.post(RawClient.INITIALIZE).statusCode()).isEqualTo(200);
            assertThat(withoutName.post(RawClient.INITIALIZE).statusCode()).isEqualTo(401);
            assertThat(without.post(RawClient.INITIALIZE).statusCode()).isEqualTo(401);
        }
        assertThat(seen).containsExactly("alice@example.org", "bob");
    }

    private static RawClient client(RunningServer server, String token, KeyStore keys, @Nullable KeyStore own)
            throws Exception {
        return new RawClient(
                server.uri(), HttpClient.Version.HTTP_1_1, token, Certificates.trusting(keys, "server", own));
    }

    /** By another way to write the address of this machine, which is none of the names of the server. */
    @Test
    @Tag("HST-25")
    void aForeignAuthorityIsRefusedOverHttp2() throws Exception {
        KeyStore keys = Certificates.make(folder, "server");
        byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(keys.getCertificate("server").getEncoded());
        try (RunningServer server = Http.on(0)
                        .tls(Tls.of(keys, "secret"))
                        .drainTime(Duration.ZERO)
                        .start(TestAgent.create()::connect);
                HttpClient http = HttpClient.newBuilder()
                        .version(HttpClient.Version.HTTP_2)
                        .sslContext(PinnedCertificate.trusting(HexFormat.of().formatHex(digest)))
                        .build()) {
            int port = server.uri().getPort();
            HttpResponse<String> foreign = get(http, "https://[::ffff:127.0.0.1]:" + port + "/acp");
            HttpResponse<String> own = get(http, "https://127.0.0.1:" + port + "/acp");

            assertThat(foreign.version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(foreign.statusCode()).isEqualTo(403);
            assertThat(foreign.body()).contains("host_not_allowed");
            assertThat(own.statusCode()).isEqualTo(401);
        }
    }

    private static HttpResponse<String> get(HttpClient http, String uri) throws Exception {
        return http.send(HttpRequest.newBuilder(URI.create(uri)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    @Tag("HST-40")
    void beyondItsBytesAPrincipalMayAnswerAndNotAsk() throws Exception {
        EndpointFixture server = new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withBytesPerSecond(100)));
        var connection = server.connect();
        String large = "{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\",\"params\":{\"text\":\"" + "x".repeat(7_000) + "\"}}";

        assertThat(connection.post(call(1, "session/list", "")).status()).isEqualTo(202);
        assertThat(connection.post(large).status()).isEqualTo(202);
        FakeExchange refused = connection.post(call(2, "session/list", ""));
        assertThat(refused.status()).isEqualTo(429);
        assertThat(headers(refused)).containsKey("Retry-After");
        assertThat(connection.post(large).status()).isEqualTo(202);
        server.pass(Duration.ofMinutes(3));
        assertThat(connection.post(call(3, "session/list", "")).status()).isEqualTo(202);
    }

    @Test
    @Tag("HST-40")
    void whatIsKeptOfAPrincipalIsBounded() throws Exception {
        EndpointFixture server =
                new EndpointFixture(Http.on(0).limits(ServerLimits.STANDARD.withRetainedBytesOfPrincipal(20_000)));
        var connection = server.connect();
        connection.open("s");
        FakeExchange stream = connection.session("s");
        for (int i = 0; i < 50; i++) {
            connection.says(update("s", "x".repeat(1_000)));
        }
        List<String> ids = stream.ids();
        server.pass(Duration.ofSeconds(1));
        FakeExchange early = connection.session("s", "Last-Event-ID", ids.getFirst());
        FakeExchange late = connection.session("s", "Last-Event-ID", ids.getLast());

        assertThat(early.status()).isEqualTo(409);
        assertThat(early.text()).contains("cursor_expired");
        assertThat(late.status()).isEqualTo(200);
        assertThat(server.events.stream()
                        .filter(ServerEvent.BytesHeld.class::isInstance)
                        .map(ServerEvent.BytesHeld.class::cast))
                .isNotEmpty()
                .allMatch(held -> held.retained() <= 20_000);
    }
}
