package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client can do beyond what all clients can, in version 2.
 *
 * @param auth which ways to authenticate it can take part in, or null for those of all clients
 * @param elicitation how it can ask its user, or null when it cannot
 * @param rest extension data, and members that are not known here
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
    /** A client that can do only what all clients can. */
    public static final ClientCapabilitiesV2 NONE = new ClientCapabilitiesV2(null, null, Rest.NONE);

    @Evolving
    public ClientCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static ClientCapabilitiesV2Builder builder() {
        return new ClientCapabilitiesV2Builder();
    }

    /** Returns a builder that starts from this. */
    public ClientCapabilitiesV2Builder toBuilder() {
        return new ClientCapabilitiesV2Builder(this);
    }
}
