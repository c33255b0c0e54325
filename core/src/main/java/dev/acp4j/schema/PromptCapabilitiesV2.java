package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.In;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The types of content that an agent accepts in prompts, in version 2.
 *
 * @param image present if it accepts images, else null
 * @param audio present if it accepts audio, else null
 * @param embeddedContext present if it accepts resources, else null
 * @param rest extension data and unknown members
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

    /** Returns a builder with the required members. */
    public static PromptCapabilitiesV2Builder builder() {
        return new PromptCapabilitiesV2Builder();
    }

    /** Returns a builder initialized from this record. */
    public PromptCapabilitiesV2Builder toBuilder() {
        return new PromptCapabilitiesV2Builder(this);
    }
}
