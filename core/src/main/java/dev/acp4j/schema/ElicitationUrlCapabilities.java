package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that a client can send its user to a web address.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationurlcapabilities">Elicitation</a>
 */
@Codable
public record ElicitationUrlCapabilities(Meta meta) {
    @Evolving
    public ElicitationUrlCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static ElicitationUrlCapabilities of() {
        return new ElicitationUrlCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public ElicitationUrlCapabilities withMeta(Meta meta) {
        return new ElicitationUrlCapabilities(meta);
    }
}
