package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * How an agent can connect to MCP servers in addition to starting them, which all agents can.
 *
 * @param http whether it accepts {@link McpServer.Http}
 * @param sse whether it accepts {@link McpServer.Sse}
 * @param acp whether it accepts {@link McpServer.Acp}; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#mcp-capabilities">MCP capabilities</a>
 */
@Codable
public record McpCapabilities(
        @DefaultTo("false") @DefaultOnError boolean http,
        @DefaultTo("false") @DefaultOnError boolean sse,
        @Unstable @Draft @DefaultTo("false") @DefaultOnError boolean acp,
        Rest rest)
        implements Extensible {
    /** An agent that can only start servers. */
    public static final McpCapabilities NONE = new McpCapabilities(false, false, false, Rest.NONE);

    @Evolving
    @Unstable
    public McpCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static McpCapabilitiesBuilder builder() {
        return new McpCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public McpCapabilitiesBuilder toBuilder() {
        return new McpCapabilitiesBuilder(this);
    }
}
