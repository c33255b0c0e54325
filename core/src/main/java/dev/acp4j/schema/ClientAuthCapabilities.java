package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The ways of authentication that a client supports.
 *
 * @param terminal present if it can offer a terminal for signing in, else null
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record ClientAuthCapabilities(
        @DefaultOnError @Nullable TerminalAuthCapabilities terminal, Rest rest) implements Extensible {
    @Evolving
    public ClientAuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ClientAuthCapabilitiesBuilder builder() {
        return new ClientAuthCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ClientAuthCapabilitiesBuilder toBuilder() {
        return new ClientAuthCapabilitiesBuilder(this);
    }
}
