package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the user is authenticated.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authenticating">Authenticating</a>
 */
@Codable
public record AuthenticateResponse(Meta meta) {
    @Evolving
    public AuthenticateResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static AuthenticateResponse of() {
        return new AuthenticateResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public AuthenticateResponse withMeta(Meta meta) {
        return new AuthenticateResponse(meta);
    }
}
