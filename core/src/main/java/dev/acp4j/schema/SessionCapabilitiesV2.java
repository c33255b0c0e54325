package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What the sessions of an agent can do, in version 2.
 *
 * @param prompt which sorts of content it takes in prompts, or null for text and links
 * @param mcp how it can reach MCP servers, or null when it cannot
 * @param delete there when it has {@code session/delete}, else null
 * @param additionalDirectories there when a session may work in more directories than one, else null
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record SessionCapabilitiesV2(
        @DefaultOnError @Nullable PromptCapabilitiesV2 prompt,
        @DefaultOnError @Nullable McpCapabilitiesV2 mcp,
        @DefaultOnError @Nullable SessionDeleteCapabilities delete,
        @DefaultOnError @Nullable SessionAdditionalDirectoriesCapabilities additionalDirectories,
        Rest rest)
        implements Extensible {
    @Evolving
    public SessionCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static SessionCapabilitiesV2Builder builder() {
        return new SessionCapabilitiesV2Builder();
    }

    /** Returns a builder that starts from this. */
    public SessionCapabilitiesV2Builder toBuilder() {
        return new SessionCapabilitiesV2Builder(this);
    }
}
