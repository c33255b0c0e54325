package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.CodedBy;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A notification of an MCP server that is reached over this connection, about a request to it.
 *
 * @param serverId the server
 * @param requestId the request to the server that this belongs to
 * @param method the method of MCP
 * @param params its parameters, a JSON object, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Codable
@Draft
@Unstable
public record MessageMcpNotification(
        McpServerAcpId serverId,
        McpRequestId requestId,
        String method,
        @CodedBy(RawObjectCodec.class) @Nullable RawJson params,
        Rest rest)
        implements Extensible {
    @Evolving
    public MessageMcpNotification {
        Objects.requireNonNull(serverId, "serverId is null");
        Objects.requireNonNull(requestId, "requestId is null");
        Objects.requireNonNull(method, "method is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static MessageMcpNotificationBuilder builder(
            McpServerAcpId serverId, McpRequestId requestId, String method) {
        return new MessageMcpNotificationBuilder(serverId, requestId, method);
    }

    /** Returns a builder initialized from this record. */
    public MessageMcpNotificationBuilder toBuilder() {
        return new MessageMcpNotificationBuilder(this);
    }
}
