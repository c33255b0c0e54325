package dev.acp4j.http;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.JWSHeader;
import com.nimbusds.jose.JWSSigner;
import com.nimbusds.jose.crypto.ECDSASigner;
import com.nimbusds.jose.jwk.Curve;
import com.nimbusds.jose.jwk.ECKey;
import com.nimbusds.jose.jwk.JWK;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.gen.ECKeyGenerator;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.SignedJWT;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider of OpenID Connect on this machine: its configuration, its keys, and tokens for whoever asks. */
final class Issuer implements AutoCloseable {
    static final String AUDIENCE = "acp";

    final AtomicInteger fetches = new AtomicInteger();
    final URI uri;
    private final HttpServer http;

    /** What it says that its name is. */
    volatile String named;

    volatile List<JWK> keys = List.of();
    volatile ECKey key;

    Issuer() throws Exception {
        http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        uri = URI.create("http://127.0.0.1:" + http.getAddress().getPort() + "/realm");
        named = uri.toString();
        key = rotate("first");
        http.createContext(
                "/realm/.well-known/openid-configuration",
                exchange -> answer(exchange, "{\"issuer\":\"" + named + "\",\"jwks_uri\":\"" + uri + "/keys\"}"));
        http.createContext("/realm/keys", exchange -> {
            fetches.incrementAndGet();
            answer(exchange, new JWKSet(keys).toString());
        });
        http.start();
    }

    private static void answer(HttpExchange exchange, String json) throws IOException {
        byte[] body = json.getBytes(StandardCharsets.UTF_8);
        // The JDK keeps connections for some seconds, which would look left behind.
        exchange.getResponseHeaders().set("Connection", "close");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Signs with a new key from now on, and no longer knows the old one. */
    ECKey rotate(String id) throws JOSEException {
        ECKey made = new ECKeyGenerator(Curve.P_256).keyID(id).generate();
        key = made;
        keys = List.of(made.toPublicJWK());
        return made;
    }

    JWTClaimsSet.Builder claims(String user) {
        return new JWTClaimsSet.Builder()
                .issuer(uri.toString())
                .audience(AUDIENCE)
                .subject(user)
                .expirationTime(Date.from(Instant.now().plusSeconds(300)));
    }

    String token(String user) throws JOSEException {
        return token(claims(user));
    }

    String token(JWTClaimsSet.Builder claims) throws JOSEException {
        return token(claims, JWSAlgorithm.ES256, key.getKeyID(), new ECDSASigner(key));
    }

    static String token(JWTClaimsSet.Builder claims, JWSAlgorithm algorithm, String keyId, JWSSigner signer)
            throws JOSEException {
        SignedJWT token =
                new SignedJWT(new JWSHeader.Builder(algorithm).keyID(keyId).build(), claims.build());
        token.sign(signer);
        return token.serialize();
    }

    void stop() {
        http.stop(0);
    }

    @Override
    public void close() {
        stop();
    }
}
