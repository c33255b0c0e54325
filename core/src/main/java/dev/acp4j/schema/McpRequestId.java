package dev.acp4j.schema;

import dev.acp4j.schema.codec.Draft;

/**
 * Identifies a request to an MCP server within its connection. The caller chooses it, and proxies keep it.
 *
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Draft
@Unstable
public final class McpRequestId extends StringValue {
    private McpRequestId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static McpRequestId of(String value) {
        return new McpRequestId(value);
    }
}
