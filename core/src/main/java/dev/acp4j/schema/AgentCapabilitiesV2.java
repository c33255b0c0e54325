package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What an agent can do beyond what all agents can, in version 2.
 *
 * @param session what its sessions can do, or null when it has none
 * @param auth which methods it has for authentication, or null when it has none
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v2/initialization">Initialization</a>
 */
@Codable
@In(2)
@Unstable
public record AgentCapabilitiesV2(
        @DefaultOnError @Nullable SessionCapabilitiesV2 session,
        @DefaultOnError @Nullable AgentAuthCapabilities auth,
        Rest rest)
        implements Extensible {
    /** An agent that can do only what all agents can. */
    public static final AgentCapabilitiesV2 NONE = new AgentCapabilitiesV2(null, null, Rest.NONE);

    @Evolving
    public AgentCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static AgentCapabilitiesV2Builder builder() {
        return new AgentCapabilitiesV2Builder();
    }

    /** Returns a builder that starts from this. */
    public AgentCapabilitiesV2Builder toBuilder() {
        return new AgentCapabilitiesV2Builder(this);
    }
}
