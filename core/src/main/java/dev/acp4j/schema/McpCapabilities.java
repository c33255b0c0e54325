package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * How an agent can reach MCP servers beside starting them, which all can.
 *
 * @param http whether it takes {@link McpServer.Http}
 * @param sse whether it takes {@link McpServer.Sse}
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#mcp-capabilities">MCP capabilities</a>
 */
@Codable
public record McpCapabilities(
        @DefaultTo("false") @DefaultOnError boolean http,
        @DefaultTo("false") @DefaultOnError boolean sse,
        Rest rest) implements Extensible {
    /** An agent that can only start them. */
    public static final McpCapabilities NONE = new McpCapabilities(false, false, Rest.NONE);

    @Evolving
    public McpCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static McpCapabilitiesBuilder builder() {
        return new McpCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public McpCapabilitiesBuilder toBuilder() {
        return new McpCapabilitiesBuilder(this);
    }
}
