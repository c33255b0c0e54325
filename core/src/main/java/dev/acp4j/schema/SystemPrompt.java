package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.List;
import java.util.Objects;

/**
 * Instructions of the client for the agent of a session. Only for agents with
 * {@link SessionCapabilities#systemPrompt()}.
 *
 * @param mode how the agent combines them with its own
 * @param content the instructions, at least one block; all agents accept text
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SystemPrompt(SystemPromptMode mode, List<ContentBlock> content, Rest rest) implements Extensible {
    @Evolving
    public SystemPrompt {
        Objects.requireNonNull(mode, "mode is null");
        content = List.copyOf(content);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the prompt with these members. */
    public static SystemPrompt of(SystemPromptMode mode, List<ContentBlock> content) {
        return new SystemPrompt(mode, content, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SystemPrompt withMeta(Meta meta) {
        return new SystemPrompt(mode, content, rest.withMeta(meta));
    }
}
