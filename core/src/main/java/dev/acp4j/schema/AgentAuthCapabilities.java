package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which methods an agent has for authentication beside {@code authenticate}.
 *
 * @param logout there when it has {@code logout}, else null
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#authentication-capabilities">Authentication
 *     capabilities</a>
 */
@Codable
public record AgentAuthCapabilities(
        @In(1) @DefaultOnError @Nullable LogoutCapabilities logout, Rest rest) implements Extensible {
    /** An agent that has none of them. */
    public static final AgentAuthCapabilities NONE = new AgentAuthCapabilities(null, Rest.NONE);

    @Evolving
    public AgentAuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
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
