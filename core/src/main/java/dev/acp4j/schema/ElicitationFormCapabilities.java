package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The client can show a form to its user.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationformcapabilities">Elicitation</a>
 */
@Codable
public record ElicitationFormCapabilities(Rest rest) implements Extensible {
    @Evolving
    public ElicitationFormCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static ElicitationFormCapabilities of() {
        return new ElicitationFormCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ElicitationFormCapabilities withMeta(Meta meta) {
        return new ElicitationFormCapabilities(rest.withMeta(meta));
    }
}
