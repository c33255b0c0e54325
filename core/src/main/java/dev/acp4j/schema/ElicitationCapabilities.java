package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a client can ask its user for input.
 *
 * @param form present if it can show a form, else null
 * @param url present if it can send its user to a web address, else null
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#elicitationcapabilities">Elicitation</a>
 */
@Codable
public record ElicitationCapabilities(
        @DefaultOnError @Nullable ElicitationFormCapabilities form,
        @DefaultOnError @Nullable ElicitationUrlCapabilities url,
        Rest rest)
        implements Extensible {
    @Evolving
    public ElicitationCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static ElicitationCapabilitiesBuilder builder() {
        return new ElicitationCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public ElicitationCapabilitiesBuilder toBuilder() {
        return new ElicitationCapabilitiesBuilder(this);
    }
}
