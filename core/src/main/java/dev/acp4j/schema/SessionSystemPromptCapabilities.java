package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The agent accepts system prompts with {@link SystemPromptMode#APPEND}.
 *
 * @param mode the further modes it accepts, or null for none
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionSystemPromptCapabilities(
        @DefaultOnError @Nullable SessionSystemPromptModeCapabilities mode, Rest rest) implements Extensible {
    @Evolving
    public SessionSystemPromptCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an instance without any member. */
    public static SessionSystemPromptCapabilitiesBuilder builder() {
        return new SessionSystemPromptCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SessionSystemPromptCapabilitiesBuilder toBuilder() {
        return new SessionSystemPromptCapabilitiesBuilder(this);
    }
}
