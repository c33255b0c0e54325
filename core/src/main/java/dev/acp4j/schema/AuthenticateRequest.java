package dev.acp4j.schema;

import java.util.Objects;

/**
 * Asks the agent to authenticate in one of the ways it offers.
 *
 * @param methodId the way; never one of type {@link AuthMethod.Terminal}
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authenticating">Authenticating</a>
 */
@Codable
public record AuthenticateRequest(AuthMethodId methodId, Meta meta) {
    @Evolving
    public AuthenticateRequest {
        Objects.requireNonNull(methodId, "methodId is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the request with these members. */
    public static AuthenticateRequest of(AuthMethodId methodId) {
        return new AuthenticateRequest(methodId, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public AuthenticateRequest withMeta(Meta meta) {
        return new AuthenticateRequest(methodId, meta);
    }
}
