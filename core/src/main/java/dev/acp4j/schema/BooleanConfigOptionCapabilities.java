package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that a client understands settings that are on or off.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options">Session config options</a>
 */
@Codable
public record BooleanConfigOptionCapabilities(Meta meta) {
    @Evolving
    public BooleanConfigOptionCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static BooleanConfigOptionCapabilities of() {
        return new BooleanConfigOptionCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public BooleanConfigOptionCapabilities withMeta(Meta meta) {
        return new BooleanConfigOptionCapabilities(meta);
    }
}
