package dev.acp4j.http;

import java.net.URI;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
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

    /**
     * @param hosts the hosts, in lower case and with their ports, by which clients may name the server
     * @param origins the origins of pages that may use the server; {@code *} for any
     */
    Guard(Set<String> hosts, Set<String> origins, Authenticator authenticator) {
        this.hosts = hosts;
        this.origins = origins;
        this.authenticator = authenticator;
    }

    /** Refuses requests for other hosts and from foreign pages. */
    void checkSource(Exchange exchange) {
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
        if (CREDENTIAL.matcher(exchange.query()).find()) {
            throw new Refusal(
                    400, "credential_in_query", "a credential belongs into the header Authorization, not into a URL");
        }
        return switch (authenticator.authenticate(exchange)) {
            case Authenticator.Allowed allowed -> allowed;
            case Authenticator.Refused refused ->
                throw new Refusal(Answer.refusal(401, "unauthorized", "a valid credential is needed")
                        .with("WWW-Authenticate", refused.challenge()));
            case Authenticator.Forbidden forbidden ->
                throw new Refusal(403, "forbidden", "this credential does not allow that");
        };
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
