package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Says that an agent takes resources as a part of prompts.
 *
 * @param rest extension data, and members that are not known here
 */
@Codable
@In(2)
@Unstable
public record PromptEmbeddedContextCapabilities(Rest rest) implements Extensible {
    @Evolving
    public PromptEmbeddedContextCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns one with these members. */
    public static PromptEmbeddedContextCapabilities of() {
        return new PromptEmbeddedContextCapabilities(Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public PromptEmbeddedContextCapabilities withMeta(Meta meta) {
        return new PromptEmbeddedContextCapabilities(rest.withMeta(meta));
    }
}
