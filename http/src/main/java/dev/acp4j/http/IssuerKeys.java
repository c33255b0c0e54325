package dev.acp4j.http;

import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.JWKSet;
import com.nimbusds.jose.jwk.source.JWKSetCacheRefreshEvaluator;
import com.nimbusds.jose.jwk.source.JWKSetSource;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jose.util.DefaultResourceRetriever;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.text.ParseException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Fetches the keys of an issuer, where its configuration says; each time anew, since issuers move their keys. */
final class IssuerKeys implements JWKSetSource<SecurityContext> {
    /** How long to connect, and to wait for more of an answer. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private static final int MOST_BYTES = 256 * 1024;

    private final URI issuer;
    private final DefaultResourceRetriever web =
            new DefaultResourceRetriever((int) PATIENCE.toMillis(), (int) PATIENCE.toMillis(), MOST_BYTES);

    IssuerKeys(URI issuer) {
        this.issuer = issuer;
    }

    /** Refuses an address that others could answer. */
    static void requireSafe(URI uri, String what) {
        String scheme = String.valueOf(uri.getScheme());
        boolean isWeb = uri.getHost() != null && uri.getUserInfo() == null;
        if (!isWeb || !(scheme.equals("https") || (scheme.equals("http") && isThisMachine(uri.getHost())))) {
            throw new IllegalArgumentException(
                    "expected " + what + " such as https://login.example, or http on this machine, got " + uri);
        }
    }

    private static boolean isThisMachine(String host) {
        try {
            return host.equals("localhost")
                    || (host.matches("[0-9.]+|\\[.*]")
                            && InetAddress.getByName(host).isLoopbackAddress());
        } catch (UnknownHostException e) {
            return false;
        }
    }

    @Override
    public JWKSet getJWKSet(JWKSetCacheRefreshEvaluator evaluator, long currentTime, @Nullable SecurityContext context)
            throws KeySourceException {
        try {
            return JWKSet.parse(get(keys()));
        } catch (IOException | ParseException | JsonException | IllegalArgumentException e) {
            String problem =
                    "the keys of " + issuer + " cannot be fetched, so its tokens do not count: " + e.getMessage();
            System.getLogger("dev.acp4j.http").log(System.Logger.Level.WARNING, problem);
            throw new KeySourceException(problem, e);
        }
    }

    private URI keys() throws IOException {
        String base = issuer.toString().replaceFirst("/$", "");
        if (!(RawJson.parse(get(URI.create(base + "/.well-known/openid-configuration")))
                        .value()
                instanceof JsonObject configuration)) {
            throw new IOException("its configuration is no object");
        }
        // A configuration of another issuer would let that one sign for this one.
        if (!issuer.toString().equals(configuration.text("issuer").orElse(""))) {
            throw new IOException("its configuration is that of another issuer");
        }
        URI keys = URI.create(configuration.text("jwks_uri").orElse(""));
        requireSafe(keys, "a jwks_uri");
        return keys;
    }

    private String get(URI uri) throws IOException {
        return web.retrieveResource(uri.toURL()).getContent();
    }

    @Override
    public void close() {}
}
