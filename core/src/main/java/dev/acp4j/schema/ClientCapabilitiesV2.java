package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of a client beyond those of all clients, in version 2.
 *
 * @param auth the ways of authentication it supports, or null for those of all clients
 * @param elicitation how it can ask its user, or null if it cannot
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/initialization">Initialization</a>
 */
@Codable
@In(2)
@Unstable
public record ClientCapabilitiesV2(
        @DefaultOnError @Nullable ClientAuthCapabilities auth,
        @DefaultOnError @Nullable ElicitationCapabilities elicitation,
        Rest rest)
        implements Extensible {
    /** The capabilities of all clients. */
    public static final ClientCapabilitiesV2 NONE = new ClientCapabilitiesV2(null, null, Rest.NONE);

    @Evolving
    public ClientCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ClientCapabilitiesV2Builder builder() {
        return new ClientCapabilitiesV2Builder();
    }

    /** Returns a builder initialized from this record. */
    public ClientCapabilitiesV2Builder toBuilder() {
        return new ClientCapabilitiesV2Builder(this);
    }
}
