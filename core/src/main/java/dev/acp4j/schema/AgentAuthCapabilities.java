package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which methods an agent has for authentication beside {@code authenticate}.
 *
 * @param logout there when it has {@code logout}, else null
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#authentication-capabilities">Authentication
 *     capabilities</a>
 */
@Codable
public record AgentAuthCapabilities(
        @DefaultOnError @Nullable LogoutCapabilities logout, Meta meta) {
    /** An agent that has none of them. */
    public static final AgentAuthCapabilities NONE = new AgentAuthCapabilities(null, Meta.EMPTY);

    @Evolving
    public AgentAuthCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Starts capabilities that promise nothing. */
    public static AgentAuthCapabilitiesBuilder builder() {
        return new AgentAuthCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public AgentAuthCapabilitiesBuilder toBuilder() {
        return new AgentAuthCapabilitiesBuilder(this);
    }
}
