package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * What an agent can do beyond what all agents can.
 *
 * @param loadSession whether it has {@code session/load}
 * @param promptCapabilities which sorts of content it takes in prompts
 * @param mcpCapabilities how it can reach MCP servers
 * @param sessionCapabilities which methods it has for sessions
 * @param auth which methods it has for authentication
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#agent-capabilities">Agent capabilities</a>
 */
@Codable
public record AgentCapabilities(
        @DefaultTo("false") @DefaultOnError boolean loadSession,
        @DefaultTo("NONE") @DefaultOnError PromptCapabilities promptCapabilities,
        @DefaultTo("NONE") @DefaultOnError McpCapabilities mcpCapabilities,
        @DefaultTo("NONE") @DefaultOnError SessionCapabilities sessionCapabilities,
        @DefaultTo("NONE") @DefaultOnError AgentAuthCapabilities auth,
        Rest rest)
        implements Extensible {
    /** An agent that can do only what all agents can. */
    public static final AgentCapabilities NONE = new AgentCapabilities(
            false,
            PromptCapabilities.NONE,
            McpCapabilities.NONE,
            SessionCapabilities.NONE,
            AgentAuthCapabilities.NONE,
            Rest.NONE);

    @Evolving
    public AgentCapabilities {
        Objects.requireNonNull(promptCapabilities, "promptCapabilities is null");
        Objects.requireNonNull(mcpCapabilities, "mcpCapabilities is null");
        Objects.requireNonNull(sessionCapabilities, "sessionCapabilities is null");
        Objects.requireNonNull(auth, "auth is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static AgentCapabilitiesBuilder builder() {
        return new AgentCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public AgentCapabilitiesBuilder toBuilder() {
        return new AgentCapabilitiesBuilder(this);
    }
}
