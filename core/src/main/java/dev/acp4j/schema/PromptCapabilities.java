package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * The types of content that an agent accepts in prompts, in addition to text and links to resources, which all agents
 * accept.
 *
 * @param image whether it accepts {@link ContentBlock.Image}
 * @param audio whether it accepts {@link ContentBlock.Audio}
 * @param embeddedContext whether it accepts {@link ContentBlock.Resource}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#prompt-capabilities">Prompt capabilities</a>
 */
@Codable
public record PromptCapabilities(
        @DefaultTo("false") @DefaultOnError boolean image,
        @DefaultTo("false") @DefaultOnError boolean audio,
        @DefaultTo("false") @DefaultOnError boolean embeddedContext,
        Rest rest)
        implements Extensible {
    /** An agent that accepts text and links only. */
    public static final PromptCapabilities NONE = new PromptCapabilities(false, false, false, Rest.NONE);

    @Evolving
    public PromptCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder without any capability. */
    public static PromptCapabilitiesBuilder builder() {
        return new PromptCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public PromptCapabilitiesBuilder toBuilder() {
        return new PromptCapabilitiesBuilder(this);
    }
}
