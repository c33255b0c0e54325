package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Requests authentication in one of the ways that the agent offers.
 *
 * @param methodId the way; never one of type {@link AuthMethod.Terminal}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authenticating">Authenticating</a>
 */
@Codable
public record AuthenticateRequest(AuthMethodId methodId, Rest rest) implements Extensible {
    @Evolving
    public AuthenticateRequest {
        Objects.requireNonNull(methodId, "methodId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static AuthenticateRequest of(AuthMethodId methodId) {
        return new AuthenticateRequest(methodId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public AuthenticateRequest withMeta(Meta meta) {
        return new AuthenticateRequest(methodId, rest.withMeta(meta));
    }
}
