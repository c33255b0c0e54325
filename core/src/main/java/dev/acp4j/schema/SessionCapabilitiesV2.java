package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of an agent's sessions, in version 2.
 *
 * @param prompt the types of content it accepts in prompts, or null for text and links
 * @param mcp how it can connect to MCP servers, or null if it cannot
 * @param delete present if it has {@code session/delete}, else null
 * @param additionalDirectories present if a session can work in several directories, else null
 * @param archive present if it has {@code session/archive}, else null; a draft
 * @param fork present if it has {@code session/fork}, else null; a draft
 * @param status present if it has {@code session/status}, else null; a draft
 * @param systemPrompt present if it accepts system prompts, else null; a draft
 * @param title present if it has {@code session/set_title}, else null; a draft
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record SessionCapabilitiesV2(
        @DefaultOnError @Nullable PromptCapabilitiesV2 prompt,
        @DefaultOnError @Nullable McpCapabilitiesV2 mcp,
        @DefaultOnError @Nullable SessionDeleteCapabilities delete,
        @DefaultOnError @Nullable SessionAdditionalDirectoriesCapabilities additionalDirectories,
        @Draft @DefaultOnError @Nullable SessionArchiveCapabilities archive,
        @Draft @DefaultOnError @Nullable SessionForkCapabilities fork,
        @Draft @DefaultOnError @Nullable SessionStatusCapabilities status,
        @Draft @DefaultOnError @Nullable SessionSystemPromptCapabilities systemPrompt,
        @Draft @DefaultOnError @Nullable SessionTitleCapabilities title,
        Rest rest)
        implements Extensible {
    @Evolving
    public SessionCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SessionCapabilitiesV2Builder builder() {
        return new SessionCapabilitiesV2Builder();
    }

    /** Returns a builder initialized from this record. */
    public SessionCapabilitiesV2Builder toBuilder() {
        return new SessionCapabilitiesV2Builder(this);
    }
}
