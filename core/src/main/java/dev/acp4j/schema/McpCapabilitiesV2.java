package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an agent can reach MCP servers, in version 2.
 *
 * @param stdio there when it starts them as programs, else null
 * @param http there when it reaches them over HTTP, else null
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record McpCapabilitiesV2(
        @DefaultOnError @Nullable McpStdioCapabilities stdio,
        @DefaultOnError @Nullable McpHttpCapabilities http,
        Rest rest)
        implements Extensible {
    @Evolving
    public McpCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static McpCapabilitiesV2Builder builder() {
        return new McpCapabilitiesV2Builder();
    }

    /** Returns a builder that starts from this. */
    public McpCapabilitiesV2Builder toBuilder() {
        return new McpCapabilitiesV2Builder(this);
    }
}
