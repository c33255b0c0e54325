package dev.acp4j.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.crypto.MACSigner;
import com.nimbusds.jose.crypto.RSASSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.RSAKey;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jose.jwk.gen.RSAKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.PlainJWT;
import dev.acp4j.Agent;
import dev.acp4j.rpc.Transport;
import dev.acp4j.testkit.TestAgent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tokens of an issuer that is a server of its own, asked for by real requests. */
@Tag("HST-18")
class OidcTokensTest {
    private final CopyOnWriteArrayList<Principal> seen = new CopyOnWriteArrayList<>();
    private final List<RunningServer> servers = new ArrayList<>();
    private Issuer issuer;

    @BeforeEach
    void start() throws Exception {
        issuer = new Issuer();
    }

    @AfterEach
    void stop() {
        servers.forEach(RunningServer::close);
        issuer.close();
    }

    private OidcTokens tokens() {
        return OidcTokens.of(issuer.uri, Issuer.AUDIENCE);
    }

    private RunningServer serve(OidcTokens tokens) throws IOException {
        Agent agent = TestAgent.create();
        RunningServer server = Http.on(0)
                .authenticator(tokens)
                .drainTime(Duration.ZERO)
                .start(client -> {
                    seen.add(client.principal());
                    agent.connect(client);
                });
        servers.add(server);
        return server;
    }

    private static int status(RunningServer server, String token) throws Exception {
        try (RawClient client = new RawClient(server.uri(), HttpClient.Version.HTTP_1_1, token)) {
            return client.post(RawClient.INITIALIZE).statusCode();
        }
    }

    private String token(JWTClaimsSet.Builder claims) throws Exception {
        return issuer.token(claims);
    }

    private static Date in(long seconds) {
        return Date.from(Instant.now().plusSeconds(seconds));
    }

    @Test
    void claimsNameThePrincipalAndItsGroups() throws Exception {
        RunningServer server = serve(tokens().principalFrom("email").groupsFrom("roles"));

        assertThat(status(
                        server,
                        token(issuer.claims("1")
                                .claim("email", "alice@example.org")
                                .claim("roles", List.of("staff", "admins")))))
                .isEqualTo(200);
        assertThat(status(server, token(issuer.claims("2")))).isEqualTo(401);
        assertThat(status(server, token(issuer.claims("3").claim("email", 3)))).isEqualTo(401);
        assertThat(seen).hasSize(1);
        assertThat(seen.getFirst().name()).isEqualTo("alice@example.org");
        assertThat(seen.getFirst().groups()).isEqualTo(Set.of("staff", "admins"));
    }

    @Test
    void anotherIssuerAudienceOrTimeIsRefusedWithAMinuteOfLeeway() throws Exception {
        RunningServer server = serve(tokens());

        assertThat(status(server, issuer.token("alice"))).isEqualTo(200);
        assertThat(status(server, token(issuer.claims("alice").issuer("https://other.example"))))
                .isEqualTo(401);
        assertThat(status(server, token(issuer.claims("alice").audience("mail"))))
                .isEqualTo(401);
        assertThat(status(server, token(issuer.claims("alice").audience(List.of("mail", "acp")))))
                .isEqualTo(200);
        assertThat(status(server, token(issuer.claims("alice").expirationTime(null))))
                .isEqualTo(401);
        assertThat(status(server, token(issuer.claims("alice").expirationTime(in(-40)))))
                .isEqualTo(200);
        assertThat(status(server, token(issuer.claims("alice").expirationTime(in(-70)))))
                .isEqualTo(401);
        assertThat(status(server, token(issuer.claims("alice").notBeforeTime(in(40)))))
                .isEqualTo(200);
        assertThat(status(server, token(issuer.claims("alice").notBeforeTime(in(80)))))
                .isEqualTo(401);
        assertThat(status(
                        server,
                        token(new JWTClaimsSet.Builder(issuer.claims("alice").build()).subject(null))))
                .isEqualTo(401);
    }

    @Test
    void signaturesThatAnybodyCanMakeAreRefused() throws Exception {
        RSAKey rsa = new RSAKeyGenerator(2048).keyID("rsa").generate();
        issuer.keys = List.of(issuer.key.toPublicJWK(), rsa.toPublicJWK());
        RunningServer server = serve(tokens());
        RunningServer strict = serve(tokens().algorithms("ES256"));
        JWTClaimsSet.Builder alice = issuer.claims("alice");
        String byRsa = Issuer.token(alice, JWSAlgorithm.RS256, "rsa", new RSASSASigner(rsa));
        byte[] known = rsa.toRSAPublicKey().getEncoded();
        String forged = Issuer.token(
                alice,
                JWSAlgorithm.ES256,
                issuer.key.getKeyID(),
                new ECDSASigner(new ECKeyGenerator(Curve.P_256).generate()));
        String good = issuer.token(alice);

        assertThat(status(server, byRsa)).isEqualTo(200);
        assertThat(status(strict, byRsa)).isEqualTo(401);
        assertThat(status(server, new PlainJWT(alice.build()).serialize())).isEqualTo(401);
        assertThat(status(server, Issuer.token(alice, JWSAlgorithm.HS256, "rsa", new MACSigner(known))))
                .isEqualTo(401);
        assertThat(status(server, forged)).isEqualTo(401);
        assertThat(status(server, good.substring(0, good.lastIndexOf('.') + 1))).isEqualTo(401);
        assertThat(status(server, "no.token.atall")).isEqualTo(401);
        assertThatThrownBy(() -> tokens().algorithms("HS256")).hasMessageContaining("RS256");
        assertThatThrownBy(() -> tokens().algorithms("none")).hasMessageContaining("RS256");
    }

    @Test
    void aNewKeyIsFetchedOnceAndInventedOnesNotForEver() throws Exception {
        RunningServer server = serve(tokens());
        String old = issuer.token("alice");
        assertThat(status(server, old)).isEqualTo(200);
        assertThat(status(server, old)).isEqualTo(200);
        assertThat(issuer.fetches.get()).isEqualTo(1);
        issuer.rotate("second");

        assertThat(status(server, issuer.token("alice"))).isEqualTo(200);
        assertThat(status(server, old)).isNotEqualTo(200);
        int before = issuer.fetches.get();
        for (int i = 0; i < 5; i++) {
            String invented = Issuer.token(
                    issuer.claims("alice"), JWSAlgorithm.ES256, "invented-" + i, new ECDSASigner(issuer.key));
            assertThat(status(server, invented)).isIn(401, 503);
        }
        assertThat(before).isLessThanOrEqualTo(3);
        assertThat(issuer.fetches.get()).isLessThanOrEqualTo(3);
        assertThat(status(server, issuer.token("alice"))).isEqualTo(200);
    }

    @Test
    void withoutItsIssuerNobodyIsLetInButByKeysThatAreKept() throws Exception {
        RunningServer keeping = serve(tokens());
        RunningServer forgetting =
                serve(tokens().times(InstantSource.system(), Duration.ofMillis(2), Duration.ofMillis(1)));
        RunningServer late = serve(tokens());
        String token = issuer.token("alice");
        assertThat(status(keeping, token)).isEqualTo(200);
        assertThat(status(forgetting, token)).isEqualTo(200);
        issuer.stop();
        try (QuietLog log = new QuietLog();
                RawClient client = new RawClient(late.uri(), HttpClient.Version.HTTP_1_1, token)) {
            HttpResponse<String> refused = client.post(RawClient.INITIALIZE);

            assertThat(status(keeping, token)).isEqualTo(200);
            assertThat(status(forgetting, token)).isEqualTo(503);
            assertThat(refused.statusCode()).isEqualTo(503);
            assertThat(refused.headers().firstValue("Retry-After")).isPresent();
            assertThat(log.messages).allMatch(line -> line.contains("cannot be fetched"));
        }
    }

    @Test
    void theConfigurationOfAnotherIssuerDoesNotCount() throws Exception {
        issuer.named = "https://other.example";
        RunningServer server = serve(tokens());
        try (QuietLog log = new QuietLog()) {
            assertThat(status(server, issuer.token("alice"))).isEqualTo(503);
            assertThat(log.messages).allMatch(line -> line.contains("another issuer"));
        }
        assertThatThrownBy(() -> OidcTokens.of(URI.create("http://login.example"), "acp"))
                .hasMessageContaining("https");
        assertThatThrownBy(() -> OidcTokens.of(issuer.uri, " ")).hasMessageContaining("audience");
    }

    @Test
    void aClientWithoutATokenIsToldWhoIssuesThem() throws Exception {
        RunningServer server = serve(tokens());
        try (RawClient client = new RawClient(server.uri(), HttpClient.Version.HTTP_1_1, "")) {
            String challenge = client.post(RawClient.INITIALIZE)
                    .headers()
                    .firstValue("WWW-Authenticate")
                    .orElseThrow();
            URI metadata = URI.create(challenge.replaceFirst("Bearer resource_metadata=\"(.*)\"", "$1"));
            String body = client.http
                    .send(HttpRequest.newBuilder(metadata).build(), HttpResponse.BodyHandlers.ofString())
                    .body();

            assertThat(metadata.getPath()).isEqualTo("/.well-known/oauth-protected-resource/acp");
            assertThat(body)
                    .contains("\"resource\":\"" + server.uri() + "\"")
                    .contains("\"authorization_servers\":[\"" + issuer.uri + "\"]");
        }
    }

    @Test
    @Tag("HST-19")
    void aStreamEndsWithItsTokenAndGoesOnWithANewOneOfTheSameUser() throws Exception {
        AtomicReference<Instant> now = new AtomicReference<>(Instant.now());
        OidcTokens tokens = tokens().times(now::get, Duration.ofMinutes(10), Duration.ofSeconds(30));
        try (HandServer server = new HandServer(Http.on(0).authenticator(tokens));
                RawClient first = client(server, token(issuer.claims("alice").claim("groups", "staff")))) {
            first.initialize();
            RawClient.Events stream = first.stream();
            Transport agent = server.agent();
            HandServer.says(agent, "{\"jsonrpc\":\"2.0\",\"method\":\"_test/one\"}");
            String cursor = "";
            for (RawClient.Event event = stream.next(); event != null; event = stream.next()) {
                cursor = event.id();
                if (event.data().contains("_test/one")) {
                    break;
                }
            }
            now.set(Instant.now().plusSeconds(350));
            server.pass(Duration.ofSeconds(1));
            // It has looked at the clock before the time is another one.
            server.pass(Duration.ofNanos(1));
            HandServer.says(agent, "{\"jsonrpc\":\"2.0\",\"method\":\"_test/two\"}");
            String rest = stream.until("_test/two");
            now.set(Instant.now().plusSeconds(370));
            server.pass(Duration.ofSeconds(1));
            String end = stream.until("never");
            String id = Objects.requireNonNull(first.headers().get("Acp-Connection-Id"));
            try (RawClient again = client(server, token(issuer.claims("alice").expirationTime(in(900))))
                            .with("Acp-Connection-Id", id);
                    RawClient other = client(server, token(issuer.claims("bob").expirationTime(in(900))))
                            .with("Acp-Connection-Id", id)) {
                assertThat(rest).contains("_test/two");
                assertThat(end).isEqualTo("end");
                assertThat(first.post("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}")
                                .statusCode())
                        .isEqualTo(401);
                assertThat(again.stream("Last-Event-ID", cursor).until("_test/two"))
                        .contains("_test/two");
                assertThat(other.post("{\"jsonrpc\":\"2.0\",\"method\":\"_x/y\"}")
                                .statusCode())
                        .isEqualTo(404);
            }
        }
    }

    private static RawClient client(HandServer server, String token) {
        return new RawClient(server.server.uri(), HttpClient.Version.HTTP_1_1, token);
    }
}
