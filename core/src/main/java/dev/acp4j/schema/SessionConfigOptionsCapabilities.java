package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The types of settings that a client supports in addition to choices, which all clients support.
 *
 * @param toggle present if it supports {@link SessionConfigOption.Toggle}; null if these must not be sent
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@Codable
public record SessionConfigOptionsCapabilities(
        @Name("boolean") @DefaultOnError @Nullable BooleanConfigOptionCapabilities toggle, Rest rest)
        implements Extensible {
    @Evolving
    public SessionConfigOptionsCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static SessionConfigOptionsCapabilitiesBuilder builder() {
        return new SessionConfigOptionsCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SessionConfigOptionsCapabilitiesBuilder toBuilder() {
        return new SessionConfigOptionsCapabilitiesBuilder(this);
    }
}
