package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * Which ways to authenticate a client can take part in.
 *
 * @param terminal whether it can run the agent's program in a terminal for its user, which {@link AuthMethod.Terminal}
 *     asks for
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authentication-method-types">Authentication
 *     method types</a>
 */
@Codable
public record AuthCapabilities(
        @DefaultTo("false") @DefaultOnError boolean terminal, Rest rest) implements Extensible {
    /** A client that can only tell the agent to authenticate by itself. */
    public static final AuthCapabilities NONE = new AuthCapabilities(false, Rest.NONE);

    @Evolving
    public AuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
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
