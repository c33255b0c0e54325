package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Says that an agent can reach MCP servers over HTTP.
 *
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record McpHttpCapabilities(Rest rest) implements Extensible {
    @Evolving
    public McpHttpCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns one with these members. */
    public static McpHttpCapabilities of() {
        return new McpHttpCapabilities(Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public McpHttpCapabilities withMeta(Meta meta) {
        return new McpHttpCapabilities(rest.withMeta(meta));
    }
}
