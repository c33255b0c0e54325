package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the user is authenticated.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authenticating">Authenticating</a>
 */
@Codable
public record AuthenticateResponse(Rest rest) implements Extensible {
    @Evolving
    public AuthenticateResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static AuthenticateResponse of() {
        return new AuthenticateResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public AuthenticateResponse withMeta(Meta meta) {
        return new AuthenticateResponse(rest.withMeta(meta));
    }
}
