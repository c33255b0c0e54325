package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which sorts of content an agent takes in prompts, in version 2.
 *
 * @param image there when it takes images, else null
 * @param audio there when it takes audio, else null
 * @param embeddedContext there when it takes resources, else null
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record PromptCapabilitiesV2(
        @DefaultOnError @Nullable PromptImageCapabilities image,
        @DefaultOnError @Nullable PromptAudioCapabilities audio,
        @DefaultOnError @Nullable PromptEmbeddedContextCapabilities embeddedContext,
        Rest rest)
        implements Extensible {
    @Evolving
    public PromptCapabilitiesV2 {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts one with the members it must have. */
    public static PromptCapabilitiesV2Builder builder() {
        return new PromptCapabilitiesV2Builder();
    }

    /** Returns a builder that starts from this. */
    public PromptCapabilitiesV2Builder toBuilder() {
        return new PromptCapabilitiesV2Builder(this);
    }
}
