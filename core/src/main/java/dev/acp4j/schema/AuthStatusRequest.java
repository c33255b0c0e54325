package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Requests the state of authentication, and changes nothing. Only for agents with
 * {@link AgentAuthCapabilities#status()}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record AuthStatusRequest(Rest rest) implements Extensible {
    @Evolving
    public AuthStatusRequest {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request. */
    public static AuthStatusRequest of() {
        return new AuthStatusRequest(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public AuthStatusRequest withMeta(Meta meta) {
        return new AuthStatusRequest(rest.withMeta(meta));
    }
}
