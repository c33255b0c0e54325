package dev.acp4j.http;

import dev.acp4j.schema.Unstable;
import java.net.URI;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Decides whom a request comes from, before anything of its body is read. Called for every request, by many threads at
 * once; it may block for a short time.
 */
@Unstable
@FunctionalInterface
public interface Authenticator {
    /** What became of a request's credentials. */
    sealed interface Outcome permits Allowed, Refused, Forbidden {}

    /**
     * The request may go on.
     *
     * @param principal whom it comes from
     * @param valid whether the credentials still hold, asked about once a second while a stream is open that was opened
     *     with them; the stream ends when they do not, or when asking fails. It does not block
     */
    record Allowed(Principal principal, BooleanSupplier valid) implements Outcome {
        /** Creates an outcome for credentials that hold as long as a stream is open. */
        public Allowed(Principal principal) {
            this(principal, () -> true);
        }
    }

    /**
     * The credentials are missing or wrong: 401.
     *
     * @param challenge the header {@code WWW-Authenticate}, such as {@code Bearer}
     */
    record Refused(String challenge) implements Outcome {}

    /** The credentials are good, and do not allow this: 403. */
    record Forbidden() implements Outcome {}

    /**
     * Decides about a request.
     *
     * @throws UnavailableException when it cannot be decided now: the request is answered 503 and may be sent again
     */
    Outcome authenticate(Credentials credentials) throws InterruptedException;

    /**
     * Returns the issuers of the tokens that are accepted. A server names them to clients without a credential, at
     * {@code /.well-known/oauth-protected-resource} with the path of the endpoint behind it, and names that address in
     * {@code WWW-Authenticate}. By default there are none, and no such address.
     *
     * @see <a href="https://www.rfc-editor.org/rfc/rfc9728">RFC 9728: OAuth 2.0 Protected Resource Metadata</a>
     */
    default List<URI> authorizationServers() {
        return List.of();
    }

    /** Lets everybody in. A server with it refuses to listen beyond this machine. */
    static Authenticator none() {
        return Nobody.INSTANCE;
    }

    /** The authenticator that is none. */
    enum Nobody implements Authenticator {
        /** The only one. */
        INSTANCE;

        @Override
        public Outcome authenticate(Credentials credentials) {
            return new Allowed(Principal.ANYBODY);
        }
    }
}
