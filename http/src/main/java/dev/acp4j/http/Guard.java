package dev.acp4j.http;

import dev.acp4j.rpc.Time;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What is checked before anything of a request is read: from where it comes, for whom it is, and who sends it. */
final class Guard {
    /** Names of parameters that look like a credential. */
    private static final Pattern CREDENTIAL = Pattern.compile(
            "(^|&)[^=&]*(token|secret|passw|key|auth|credential|bearer|ticket|jwt)", Pattern.CASE_INSENSITIVE);

    private final Set<String> hosts;
    private final Set<String> origins;
    private final Authenticator authenticator;
    private final ProtectedResource resource;
    private final Guesses guesses;

    /**
     * @param hosts the hosts, in lower case and with their ports, by which clients may name the server
     * @param origins the origins of pages that may use the server; {@code *} for any
     * @param path the path of the endpoint, if the server answers at others, too; else empty
     */
    Guard(Set<String> hosts, Set<String> origins, Authenticator authenticator, String path, Time time) {
        this.hosts = hosts;
        this.origins = origins;
        this.authenticator = authenticator;
        this.resource = new ProtectedResource(path, authenticator.authorizationServers());
        this.guesses = new Guesses(time);
    }

    /** Returns what tells clients who issues their credentials. */
    ProtectedResource resource() {
        return resource;
    }

    /**
     * Refuses requests in clear text from elsewhere, for other hosts, from foreign pages, and with a credential in the
     * URL.
     */
    void checkSource(Exchange exchange) {
        if (!exchange.isSecure() && !exchange.isLocal()) {
            // A server without TLS has been started for a proxy, and everybody else may reach it as well.
            throw new Refusal(Answer.refusal(
                            403,
                            "cleartext",
                            "this server takes clear text from its own machine only: use TLS; a proxy that has it must be"
                                    + " trusted, and send X-Forwarded-Proto or Forwarded")
                    .with("Connection", "close"));
        }
        if (!hosts.contains(exchange.authority().toLowerCase(Locale.ROOT))) {
            throw new Refusal(403, "host_not_allowed", "this server is not reached by that name");
        }
        String origin = exchange.header("Origin");
        if (origin != null && !isAllowed(origin) && !isOwn(origin, exchange)) {
            throw new Refusal(403, "origin_not_allowed", "pages of that origin may not use this server");
        }
        String site = exchange.header("Sec-Fetch-Site");
        if (origin == null && site != null && !Set.of("none", "same-origin").contains(site)) {
            throw new Refusal(403, "origin_not_allowed", "pages of other sites may not use this server");
        }
        if (CREDENTIAL.matcher(exchange.query()).find()) {
            throw new Refusal(
                    400, "credential_in_query", "a credential belongs into the header Authorization, not into a URL");
        }
    }

    /** Pages of this server itself. The host was checked before, so nobody else's page has this origin. */
    private static boolean isOwn(String origin, Exchange exchange) {
        String own = (exchange.isSecure() ? "https://" : "http://") + exchange.authority();
        return origin.equalsIgnoreCase(own);
    }

    private boolean isAllowed(String origin) {
        return origins.contains("*") || origins.contains(origin.toLowerCase(Locale.ROOT));
    }

    /** Returns who sends the request. */
    Authenticator.Allowed caller(Exchange exchange) throws InterruptedException {
        String digest = Guesses.digest(exchange);
        long wait = guesses.waitSeconds(exchange.address(), digest);
        if (wait > 0) {
            throw new Refusal(
                    Answer.refusal(429, "too_many_wrong_credentials", "too many wrong credentials came from there")
                            .with("Retry-After", Long.toString(wait)));
        }
        return switch (authenticator.authenticate(exchange)) {
            case Authenticator.Allowed allowed -> {
                guesses.good(digest);
                exchange.caller(allowed.principal());
                yield new Authenticator.Allowed(allowed.principal(), () -> isValid(allowed.valid()));
            }
            case Authenticator.Refused refused -> {
                guesses.wrong(exchange.address(), digest);
                throw new Refusal(Answer.refusal(401, "unauthorized", "a valid credential is needed")
                        .with("WWW-Authenticate", resource.named(refused.challenge(), exchange)));
            }
            case Authenticator.Forbidden forbidden ->
                throw new Refusal(403, "forbidden", "this credential does not allow that");
        };
    }

    /** Credentials that cannot be checked no longer hold. */
    private static boolean isValid(BooleanSupplier valid) {
        try {
            return valid.getAsBoolean();
        } catch (RuntimeException e) {
            System.getLogger("dev.acp4j.http")
                    .log(System.Logger.Level.WARNING, "credentials could not be checked, so their stream ends", e);
            return false;
        }
    }

    /** Returns the headers by which a page of an allowed origin may see the answer; none for others. */
    Map<String, String> sharing(Exchange exchange) {
        String origin = exchange.header("Origin");
        if (origins.isEmpty()) {
            return Map.of();
        }
        if (origin == null || !isAllowed(origin)) {
            return Map.of("Vary", "Origin");
        }
        return Map.of(
                "Access-Control-Allow-Origin",
                origins.contains("*") ? "*" : origin,
                "Access-Control-Expose-Headers",
                String.join(", ", Wire.CONNECTION_ID, Wire.SESSION_ID, "Retry-After", "WWW-Authenticate"),
                "Vary",
                "Origin");
    }

    /** Returns the answer to a page that asks whether it may; null when no page may, ever. */
    @Nullable
    Answer preflight() {
        if (origins.isEmpty()) {
            return null;
        }
        return Answer.empty(204)
                .with("Access-Control-Allow-Methods", "POST, GET, DELETE")
                .with(
                        "Access-Control-Allow-Headers",
                        String.join(
                                ", ",
                                List.of(
                                        "Authorization",
                                        "Content-Type",
                                        Wire.CONNECTION_ID,
                                        Wire.SESSION_ID,
                                        Wire.PROTOCOL_VERSION,
                                        Wire.LAST_EVENT_ID,
                                        Wire.IDEMPOTENCY_KEY)))
                .with("Access-Control-Max-Age", "600");
    }

    /** Returns an origin as browsers write it. */
    static String origin(String text) {
        if (text.equals("*")) {
            return text;
        }
        URI uri = URI.create(text);
        if (uri.getScheme() == null || uri.getHost() == null || !uri.getPath().isEmpty()) {
            throw new IllegalArgumentException("expected an origin such as https://example.org, got " + text);
        }
        return text.toLowerCase(Locale.ROOT);
    }
}
