package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Asks the agent to authenticate in one of the ways it offers.
 *
 * @param methodId the way; never one of type {@link AuthMethod.Terminal}
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public AuthenticateRequest withMeta(Meta meta) {
        return new AuthenticateRequest(methodId, rest.withMeta(meta));
    }
}
