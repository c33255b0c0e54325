package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent can start MCP servers as programs.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record McpStdioCapabilities(Rest rest) implements Extensible {
    @Evolving
    public McpStdioCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static McpStdioCapabilities of() {
        return new McpStdioCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public McpStdioCapabilities withMeta(Meta meta) {
        return new McpStdioCapabilities(rest.withMeta(meta));
    }
}
