package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent accepts {@link McpServer.Acp}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Codable
@In(2)
@Draft
@Unstable
public record McpAcpCapabilities(Rest rest) implements Extensible {
    @Evolving
    public McpAcpCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static McpAcpCapabilities of() {
        return new McpAcpCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public McpAcpCapabilities withMeta(Meta meta) {
        return new McpAcpCapabilities(rest.withMeta(meta));
    }
}
