package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The client can send its user to a web address.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationurlcapabilities">Elicitation</a>
 */
@Codable
public record ElicitationUrlCapabilities(Rest rest) implements Extensible {
    @Evolving
    public ElicitationUrlCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static ElicitationUrlCapabilities of() {
        return new ElicitationUrlCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ElicitationUrlCapabilities withMeta(Meta meta) {
        return new ElicitationUrlCapabilities(rest.withMeta(meta));
    }
}
