package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The client supports settings that are on or off.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@Codable
public record BooleanConfigOptionCapabilities(Rest rest) implements Extensible {
    @Evolving
    public BooleanConfigOptionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static BooleanConfigOptionCapabilities of() {
        return new BooleanConfigOptionCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public BooleanConfigOptionCapabilities withMeta(Meta meta) {
        return new BooleanConfigOptionCapabilities(rest.withMeta(meta));
    }
}
