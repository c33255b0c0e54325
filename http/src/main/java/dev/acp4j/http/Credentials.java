package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a request has to show who sends it. */
@Unstable
public interface Credentials {
    /** Returns the first value of a header, or null when there is none. The name may be in any case. */
    @Nullable
    String header(String name);

    /** Returns the client's certificate and its issuers; empty without TLS, or when the client showed none. */
    List<X509Certificate> certificates();

    /** Returns the address of the client: that of the last hop, unless that is a trusted proxy. */
    String address();

    /** Returns the token of the header {@code Authorization: Bearer}; empty when there is none. */
    default Optional<String> bearerToken() {
        String value = header("Authorization");
        if (value == null || !value.regionMatches(true, 0, "Bearer ", 0, 7)) {
            return Optional.empty();
        }
        return Optional.of(value.substring(7).strip());
    }
}
