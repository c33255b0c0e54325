package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent accepts images in prompts.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record PromptImageCapabilities(Rest rest) implements Extensible {
    @Evolving
    public PromptImageCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static PromptImageCapabilities of() {
        return new PromptImageCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PromptImageCapabilities withMeta(Meta meta) {
        return new PromptImageCapabilities(rest.withMeta(meta));
    }
}
