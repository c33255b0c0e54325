package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;

/**
 * Identifies an MCP server that is reached over this connection. The component with the server chooses it, unique on
 * the connection.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Draft
@Unstable
public final class McpServerAcpId extends StringValue {
    private McpServerAcpId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static McpServerAcpId of(String value) {
        return new McpServerAcpId(value);
    }
}
