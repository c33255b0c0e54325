package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The error of an MCP server.
 *
 * @param code the error code of MCP
 * @param message the error as a sentence
 * @param data details, any JSON; a null that was sent is kept as {@link Change#clear()}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/mcp-over-acp">MCP over ACP</a>
 */
@Codable
@Draft
@Unstable
public record McpError(int code, String message, Change<RawJson> data, Rest rest) implements Extensible {
    @Evolving
    public McpError {
        Objects.requireNonNull(message, "message is null");
        Objects.requireNonNull(data, "data is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static McpErrorBuilder builder(int code, String message) {
        return new McpErrorBuilder(code, message);
    }

    /** Returns a builder initialized from this record. */
    public McpErrorBuilder toBuilder() {
        return new McpErrorBuilder(this);
    }
}
