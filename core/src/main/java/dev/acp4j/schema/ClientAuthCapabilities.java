package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which ways to authenticate a client can take part in.
 *
 * @param terminal there when it can offer a terminal to sign in with, else null
 * @param rest extension data, and members that are not known here
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

    /** Starts one with the members it must have. */
    public static ClientAuthCapabilitiesBuilder builder() {
        return new ClientAuthCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public ClientAuthCapabilitiesBuilder toBuilder() {
        return new ClientAuthCapabilitiesBuilder(this);
    }
}
