package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.net.URI;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Authenticates by the certificate that a client shows, which {@link Tls#clientCertificates} has checked: the principal
 * is its subject alternative name. Of several names the first address of the web counts, else the first of mail, else
 * the first of a host. A certificate without such a name is refused. Streams end when it expires. Immutable.
 *
 * <pre>{@code
 * Http.on(8443)
 *         .tls(Tls.pem(certificate, key).clientCertificates(authorities, false))
 *         .authenticator(CertificateNames.orElse(BearerTokens.read(tokens)))
 * }</pre>
 */
@Unstable
public final class CertificateNames implements Authenticator {
    // The kinds of names in X.509.
    private static final int MAIL = 1;
    private static final int HOST = 2;
    private static final int WEB = 6;

    private static final Refused REFUSED = new Refused("Certificate");

    private final @Nullable Authenticator others;

    private CertificateNames(@Nullable Authenticator others) {
        this.others = others;
    }

    /** Accepts nothing but certificates. */
    public static CertificateNames only() {
        return new CertificateNames(null);
    }

    /**
     * Accepts certificates, and lets another authenticator decide about clients without one. Where both know a name, it
     * must be the same user.
     */
    public static CertificateNames orElse(Authenticator others) {
        return new CertificateNames(others);
    }

    @Override
    public List<URI> authorizationServers() {
        return others == null ? List.of() : others.authorizationServers();
    }

    @Override
    public Outcome authenticate(Credentials credentials) throws InterruptedException {
        List<X509Certificate> shown = credentials.certificates();
        if (shown.isEmpty()) {
            return others == null ? REFUSED : others.authenticate(credentials);
        }
        X509Certificate certificate = shown.getFirst();
        Instant until = certificate.getNotAfter().toInstant();
        return name(certificate)
                .<Outcome>map(name ->
                        new Allowed(Principal.of(name), () -> Instant.now().isBefore(until)))
                .orElse(REFUSED);
    }

    private static Optional<String> name(X509Certificate certificate) {
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names == null) {
                return Optional.empty();
            }
            return List.of(WEB, MAIL, HOST).stream()
                    .flatMap(kind -> names.stream().filter(name -> Objects.equals(name.getFirst(), kind)))
                    .map(name -> String.valueOf(name.get(1)))
                    .filter(name -> !name.isBlank())
                    .findFirst();
        } catch (CertificateParsingException e) {
            return Optional.empty();
        }
    }
}
