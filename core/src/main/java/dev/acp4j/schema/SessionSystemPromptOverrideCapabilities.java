package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent accepts {@link SystemPromptMode#OVERRIDE}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionSystemPromptOverrideCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionSystemPromptOverrideCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionSystemPromptOverrideCapabilities of() {
        return new SessionSystemPromptOverrideCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionSystemPromptOverrideCapabilities withMeta(Meta meta) {
        return new SessionSystemPromptOverrideCapabilities(rest.withMeta(meta));
    }
}
