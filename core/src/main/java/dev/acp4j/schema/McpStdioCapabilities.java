package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Says that an agent can start MCP servers as programs.
 *
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record McpStdioCapabilities(Rest rest) implements Extensible {
    @Evolving
    public McpStdioCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns one with these members. */
    public static McpStdioCapabilities of() {
        return new McpStdioCapabilities(Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public McpStdioCapabilities withMeta(Meta meta) {
        return new McpStdioCapabilities(rest.withMeta(meta));
    }
}
