package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The authentication methods that an agent has in addition to {@code authenticate}.
 *
 * @param logout present if it has {@code logout}, else null
 * @param status present if it has {@code auth/status}, else null; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#authentication-capabilities">Authentication
 *     capabilities</a>
 */
@Codable
public record AgentAuthCapabilities(
        @In(1) @DefaultOnError @Nullable LogoutCapabilities logout,
        @Unstable @Draft @DefaultOnError @Nullable AuthStatusCapabilities status,
        Rest rest)
        implements Extensible {
    /** An agent without these methods. */
    public static final AgentAuthCapabilities NONE = new AgentAuthCapabilities(null, null, Rest.NONE);

    @Evolving
    @Unstable
    public AgentAuthCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static AgentAuthCapabilitiesBuilder builder() {
        return new AgentAuthCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public AgentAuthCapabilitiesBuilder toBuilder() {
        return new AgentAuthCapabilitiesBuilder(this);
    }
}
