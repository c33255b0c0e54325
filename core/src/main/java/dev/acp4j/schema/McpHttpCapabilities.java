package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent can connect to MCP servers over HTTP.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record McpHttpCapabilities(Rest rest) implements Extensible {
    @Evolving
    public McpHttpCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static McpHttpCapabilities of() {
        return new McpHttpCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public McpHttpCapabilities withMeta(Meta meta) {
        return new McpHttpCapabilities(rest.withMeta(meta));
    }
}
