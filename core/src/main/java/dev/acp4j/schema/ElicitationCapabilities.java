package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a client can ask its user for something.
 *
 * @param form there when it can show a form, null when it cannot
 * @param url there when it can send its user to a web address, null when it cannot
 * @param rest extension data, and members that are not known here
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

    /** Starts capabilities that promise nothing. */
    public static ElicitationCapabilitiesBuilder builder() {
        return new ElicitationCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public ElicitationCapabilitiesBuilder toBuilder() {
        return new ElicitationCapabilitiesBuilder(this);
    }
}
