package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * The ways of authentication that a client supports.
 *
 * @param terminal whether it can run the agent's program in a terminal for its user, which {@link AuthMethod.Terminal}
 *     requires
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#authentication-method-types">Authentication
 *     method types</a>
 */
@Codable
public record AuthCapabilities(
        @DefaultTo("false") @DefaultOnError boolean terminal, Rest rest) implements Extensible {
    /** A client that can only call {@code authenticate}. */
    public static final AuthCapabilities NONE = new AuthCapabilities(false, Rest.NONE);

    @Evolving
    public AuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static AuthCapabilitiesBuilder builder() {
        return new AuthCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public AuthCapabilitiesBuilder toBuilder() {
        return new AuthCapabilitiesBuilder(this);
    }
}
