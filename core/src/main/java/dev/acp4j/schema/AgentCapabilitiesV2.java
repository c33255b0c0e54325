package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of an agent beyond those of all agents, in version 2.
 *
 * @param session the capabilities of its sessions, or null if it has none
 * @param auth the authentication methods it has, or null if it has none
 * @param providers present if it has the {@code providers} methods, else null; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/initialization">Initialization</a>
 */
@Codable
@In(2)
@Unstable
public record AgentCapabilitiesV2(
        @DefaultOnError @Nullable SessionCapabilitiesV2 session,
        @DefaultOnError @Nullable AgentAuthCapabilities auth,
        @Draft @DefaultOnError @Nullable ProvidersCapabilities providers,
        Rest rest)
        implements Extensible {
    /** The capabilities of all agents. */
    public static final AgentCapabilitiesV2 NONE = new AgentCapabilitiesV2(null, null, null, Rest.NONE);

    @Evolving
    public AgentCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static AgentCapabilitiesV2Builder builder() {
        return new AgentCapabilitiesV2Builder();
    }

    /** Returns a builder initialized from this record. */
    public AgentCapabilitiesV2Builder toBuilder() {
        return new AgentCapabilitiesV2Builder(this);
    }
}
