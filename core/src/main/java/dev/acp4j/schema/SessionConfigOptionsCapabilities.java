package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which sorts of settings a client understands beside choices, which all do.
 *
 * @param toggle there when it understands {@link SessionConfigOption.Toggle}, null when those may not be sent
 * @param rest extension data, and members that are not known here
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

    /** Starts capabilities that promise nothing. */
    public static SessionConfigOptionsCapabilitiesBuilder builder() {
        return new SessionConfigOptionsCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public SessionConfigOptionsCapabilitiesBuilder toBuilder() {
        return new SessionConfigOptionsCapabilitiesBuilder(this);
    }
}
