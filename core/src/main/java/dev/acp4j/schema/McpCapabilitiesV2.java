package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How an agent can connect to MCP servers, in version 2.
 *
 * @param stdio present if it starts them as programs, else null
 * @param http present if it connects over HTTP, else null
 * @param acp present if it accepts {@link McpServer.Acp}, else null; a draft
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record McpCapabilitiesV2(
        @DefaultOnError @Nullable McpStdioCapabilities stdio,
        @DefaultOnError @Nullable McpHttpCapabilities http,
        @Draft @DefaultOnError @Nullable McpAcpCapabilities acp,
        Rest rest)
        implements Extensible {
    @Evolving
    public McpCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static McpCapabilitiesV2Builder builder() {
        return new McpCapabilitiesV2Builder();
    }

    /** Returns a builder initialized from this record. */
    public McpCapabilitiesV2Builder toBuilder() {
        return new McpCapabilitiesV2Builder(this);
    }
}
