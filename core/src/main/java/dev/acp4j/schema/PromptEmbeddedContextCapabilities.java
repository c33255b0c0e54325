package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The agent accepts embedded resources in prompts.
 *
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record PromptEmbeddedContextCapabilities(Rest rest) implements Extensible {
    @Evolving
    public PromptEmbeddedContextCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static PromptEmbeddedContextCapabilities of() {
        return new PromptEmbeddedContextCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PromptEmbeddedContextCapabilities withMeta(Meta meta) {
        return new PromptEmbeddedContextCapabilities(rest.withMeta(meta));
    }
}
