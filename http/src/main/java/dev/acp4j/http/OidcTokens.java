package dev.acp4j.http;

import com.nimbusds.jose.JOSEException;
import com.nimbusds.jose.JOSEObjectType;
import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.KeySourceException;
import com.nimbusds.jose.jwk.source.JWKSource;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.BadJOSEException;
import com.nimbusds.jose.proc.DefaultJOSEObjectTypeVerifier;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.proc.SecurityContext;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import dev.acp4j.schema.Unstable;
import java.net.URI;
import java.text.ParseException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Date;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Authenticates by signed tokens of an OpenID Connect provider: JSON Web Tokens in the header {@code Authorization:
 * Bearer}. It needs {@code com.nimbusds:nimbus-jose-jwt}, which a program adds to its dependencies.
 *
 * <pre>{@code
 * Http.on(8443).authenticator(OidcTokens.of(URI.create("https://login.example"), "acp").groupsFrom("roles"))
 * }</pre>
 *
 * <p>A token counts if it is signed with a key of the issuer by an allowed algorithm, names the issuer and the
 * audience, and has neither expired nor begins later, by more than 60 seconds of difference between clocks. A stream
 * ends when its token has expired.
 *
 * <p>The keys are fetched when they are needed first: from the {@code jwks_uri} of the issuer's
 * {@code /.well-known/openid-configuration}. They are kept for 10 minutes, and fetched earlier for a key that is not
 * among them, but not more than twice in 30 seconds. Without them nobody is let in: requests are answered 503.
 *
 * <p>Immutable and thread-safe. Copies fetch keys of their own.
 *
 * @see <a href="https://openid.net/specs/openid-connect-discovery-1_0.html">OpenID Connect Discovery</a>
 */
@Unstable
public final class OidcTokens implements Authenticator {
    private static final Duration LEEWAY = Duration.ofSeconds(60);
    private static final Duration KEPT = Duration.ofMinutes(10);
    private static final Duration BETWEEN_FETCHES = Duration.ofSeconds(30);
    private static final Duration RETRY = Duration.ofSeconds(30);

    /** What the JDK can verify. */
    private static final List<String> ALGORITHMS =
            List.of("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512");

    private static final Refused REFUSED = new Refused("Bearer");

    /** @param kept how long keys are kept; longer than the time between two fetches */
    private record Settings(
            URI issuer,
            String audience,
            List<String> algorithms,
            String name,
            String groups,
            InstantSource clock,
            Duration kept,
            Duration betweenFetches) {}

    private final Settings settings;
    private final DefaultJWTProcessor<SecurityContext> processor;

    private OidcTokens(Settings settings) {
        this.settings = settings;
        this.processor = processor(settings);
    }

    private static DefaultJWTProcessor<SecurityContext> processor(Settings settings) {
        JWKSource<SecurityContext> keys = JWKSourceBuilder.create(new IssuerKeys(settings.issuer))
                .cache(
                        settings.kept.toMillis(),
                        IssuerKeys.PATIENCE.multipliedBy(3).toMillis())
                .refreshAheadCache(false)
                .rateLimited(settings.betweenFetches.toMillis())
                .build();
        Set<JWSAlgorithm> algorithms =
                settings.algorithms.stream().map(JWSAlgorithm::parse).collect(Collectors.toSet());
        DefaultJWTProcessor<SecurityContext> processor = new DefaultJWTProcessor<>();
        processor.setJWSTypeVerifier(new DefaultJOSEObjectTypeVerifier<>(
                JOSEObjectType.JWT, new JOSEObjectType("at+jwt"), new JOSEObjectType("application/at+jwt"), null));
        processor.setJWSKeySelector(new JWSVerificationKeySelector<>(algorithms, keys));
        DefaultJWTClaimsVerifier<SecurityContext> claims =
                new DefaultJWTClaimsVerifier<>(
                        settings.audience,
                        new JWTClaimsSet.Builder()
                                .issuer(settings.issuer.toString())
                                .build(),
                        Set.of("exp", settings.name)) {
                    @Override
                    protected Date currentTime() {
                        return Date.from(settings.clock.instant());
                    }
                };
        claims.setMaxClockSkew((int) LEEWAY.toSeconds());
        processor.setJWTClaimsSetVerifier(claims);
        return processor;
    }

    /**
     * Accepts tokens of an issuer. Nothing is fetched yet.
     *
     * @param issuer the issuer as tokens name it: {@code https}, or {@code http} on this machine
     * @param audience what tokens must name in {@code aud}, so that those for other services do not count
     * @throws IllegalArgumentException when the issuer is no such address, or the audience is empty
     */
    public static OidcTokens of(URI issuer, String audience) {
        IssuerKeys.requireSafe(issuer, "an issuer");
        if (audience.isBlank()) {
            throw new IllegalArgumentException("an audience is missing: tokens for other services would be accepted");
        }
        return new OidcTokens(new Settings(
                issuer, audience, ALGORITHMS, "sub", "groups", InstantSource.system(), KEPT, BETWEEN_FETCHES));
    }

    private OidcTokens with(String name, String groups, List<String> algorithms) {
        return new OidcTokens(new Settings(
                settings.issuer,
                settings.audience,
                algorithms,
                name,
                groups,
                settings.clock,
                settings.kept,
                settings.betweenFetches));
    }

    /**
     * Returns a copy that takes the name of the principal from another claim than {@code sub}, such as {@code email}.
     * The issuer must see to it that nobody chooses the value of another user.
     */
    public OidcTokens principalFrom(String claim) {
        return with(claim, settings.groups, settings.algorithms);
    }

    /** Returns a copy that takes the groups of the principal from another claim than {@code groups}. */
    public OidcTokens groupsFrom(String claim) {
        return with(settings.name, claim, settings.algorithms);
    }

    /**
     * Returns a copy that accepts only some algorithms of signatures. By default all are accepted that the JDK can
     * verify with a public key: RS, PS and ES, each with 256, 384 and 512 bits.
     *
     * @throws IllegalArgumentException when one is not among these, as {@code none} and those of a shared secret are
     */
    public OidcTokens algorithms(String... names) {
        List<String> allowed = List.of(names);
        if (allowed.isEmpty() || !ALGORITHMS.containsAll(allowed)) {
            throw new IllegalArgumentException("expected algorithms of " + ALGORITHMS + ", got " + allowed);
        }
        return with(settings.name, settings.groups, allowed);
    }

    /** For tests: another clock for tokens, and other times for keys. */
    OidcTokens times(InstantSource clock, Duration kept, Duration betweenFetches) {
        return new OidcTokens(new Settings(
                settings.issuer,
                settings.audience,
                settings.algorithms,
                settings.name,
                settings.groups,
                clock,
                kept,
                betweenFetches));
    }

    @Override
    public List<URI> authorizationServers() {
        return List.of(settings.issuer);
    }

    /**
     * Decides about a request; blocks while keys are fetched.
     *
     * @throws UnavailableException when the keys of the issuer cannot be had
     */
    @Override
    public Outcome authenticate(Credentials credentials) {
        String token = credentials.bearerToken().orElse(null);
        if (token == null) {
            return REFUSED;
        }
        JWTClaimsSet claims;
        try {
            claims = processor.process(token, null);
        } catch (KeySourceException e) {
            throw new UnavailableException(
                    "issuer_unavailable", "tokens cannot be verified now: the keys are not to be had", false, RETRY);
        } catch (ParseException | BadJOSEException | JOSEException e) {
            return REFUSED;
        }
        if (!(claims.getClaim(settings.name) instanceof String name) || name.isBlank()) {
            return REFUSED;
        }
        Instant until = claims.getExpirationTime().toInstant().plus(LEEWAY);
        return new Allowed(
                new Principal(name, groups(claims)),
                () -> settings.clock.instant().isBefore(until));
    }

    /** A list of names, or a single one. */
    private Set<String> groups(JWTClaimsSet claims) {
        Object value = claims.getClaim(settings.groups);
        Set<String> groups = new LinkedHashSet<>();
        if (value instanceof String one) {
            groups.add(one);
        } else if (value instanceof List<?> list) {
            list.stream().filter(String.class::isInstance).forEach(each -> groups.add((String) each));
        }
        return groups;
    }
}
