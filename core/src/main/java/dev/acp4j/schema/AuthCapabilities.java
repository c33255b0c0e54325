package dev.acp4j.schema;

import java.util.Objects;

/**
 * Which ways to authenticate a client can take part in.
 *
 * @param terminal whether it can run the agent's program in a terminal for its user, which {@link AuthMethod.Terminal}
 *     asks for
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authentication-method-types">Authentication
 *     method types</a>
 */
@Codable
public record AuthCapabilities(
        @DefaultTo("false") @DefaultOnError boolean terminal, Meta meta) {
    /** A client that can only tell the agent to authenticate by itself. */
    public static final AuthCapabilities NONE = new AuthCapabilities(false, Meta.EMPTY);

    @Evolving
    public AuthCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Starts capabilities that promise nothing. */
    public static AuthCapabilitiesBuilder builder() {
        return new AuthCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public AuthCapabilitiesBuilder toBuilder() {
        return new AuthCapabilitiesBuilder(this);
    }
}
