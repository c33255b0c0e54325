package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of an agent beyond those of all agents.
 *
 * @param loadSession whether it has {@code session/load}
 * @param promptCapabilities the types of content it accepts in prompts
 * @param mcpCapabilities how it can connect to MCP servers
 * @param sessionCapabilities the session methods it has
 * @param auth the authentication methods it has
 * @param providers present if it has the {@code providers} methods, else null; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities">Agent capabilities</a>
 */
@Codable
public record AgentCapabilities(
        @DefaultTo("false") @DefaultOnError boolean loadSession,
        @DefaultTo("NONE") @DefaultOnError PromptCapabilities promptCapabilities,
        @DefaultTo("NONE") @DefaultOnError McpCapabilities mcpCapabilities,
        @DefaultTo("NONE") @DefaultOnError SessionCapabilities sessionCapabilities,
        @DefaultTo("NONE") @DefaultOnError AgentAuthCapabilities auth,
        @Unstable @Draft @DefaultOnError @Nullable ProvidersCapabilities providers,
        Rest rest)
        implements Extensible {
    /** The capabilities of all agents. */
    public static final AgentCapabilities NONE = new AgentCapabilities(
            false,
            PromptCapabilities.NONE,
            McpCapabilities.NONE,
            SessionCapabilities.NONE,
            AgentAuthCapabilities.NONE,
            null,
            Rest.NONE);

    @Evolving
    @Unstable
    public AgentCapabilities {
        Objects.requireNonNull(promptCapabilities, "promptCapabilities is null");
        Objects.requireNonNull(mcpCapabilities, "mcpCapabilities is null");
        Objects.requireNonNull(sessionCapabilities, "sessionCapabilities is null");
        Objects.requireNonNull(auth, "auth is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static AgentCapabilitiesBuilder builder() {
        return new AgentCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public AgentCapabilitiesBuilder toBuilder() {
        return new AgentCapabilitiesBuilder(this);
    }
}
