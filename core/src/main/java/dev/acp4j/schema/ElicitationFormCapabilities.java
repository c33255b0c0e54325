package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that a client can show a form to its user.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationformcapabilities">Elicitation</a>
 */
@Codable
public record ElicitationFormCapabilities(Meta meta) {
    @Evolving
    public ElicitationFormCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static ElicitationFormCapabilities of() {
        return new ElicitationFormCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public ElicitationFormCapabilities withMeta(Meta meta) {
        return new ElicitationFormCapabilities(meta);
    }
}
