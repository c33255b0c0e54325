package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent accepts audio in prompts.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record PromptAudioCapabilities(Rest rest) implements Extensible {
    @Evolving
    public PromptAudioCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static PromptAudioCapabilities of() {
        return new PromptAudioCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PromptAudioCapabilities withMeta(Meta meta) {
        return new PromptAudioCapabilities(rest.withMeta(meta));
    }
}
