package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The modes of system prompts that an agent accepts in addition to {@link SystemPromptMode#APPEND}.
 *
 * @param override present if it accepts {@link SystemPromptMode#OVERRIDE}, else null
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionSystemPromptModeCapabilities(
        @DefaultOnError @Nullable SessionSystemPromptOverrideCapabilities override, Rest rest) implements Extensible {
    @Evolving
    public SessionSystemPromptModeCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an instance without any member. */
    public static SessionSystemPromptModeCapabilitiesBuilder builder() {
        return new SessionSystemPromptModeCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SessionSystemPromptModeCapabilitiesBuilder toBuilder() {
        return new SessionSystemPromptModeCapabilitiesBuilder(this);
    }
}
