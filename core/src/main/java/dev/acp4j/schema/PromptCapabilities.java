package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.DefaultTo;
import java.util.Objects;

/**
 * Which sorts of content an agent takes in prompts beside text and links to resources, which all do.
 *
 * @param image whether it takes {@link ContentBlock.Image}
 * @param audio whether it takes {@link ContentBlock.Audio}
 * @param embeddedContext whether it takes {@link ContentBlock.Resource}
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#prompt-capabilities">Prompt capabilities</a>
 */
@Codable
public record PromptCapabilities(
        @DefaultTo("false") @DefaultOnError boolean image,
        @DefaultTo("false") @DefaultOnError boolean audio,
        @DefaultTo("false") @DefaultOnError boolean embeddedContext,
        Rest rest)
        implements Extensible {
    /** An agent that takes text and links only. */
    public static final PromptCapabilities NONE = new PromptCapabilities(false, false, false, Rest.NONE);

    @Evolving
    public PromptCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts capabilities that promise nothing. */
    public static PromptCapabilitiesBuilder builder() {
        return new PromptCapabilitiesBuilder();
    }

    /** Returns a builder that starts from this. */
    public PromptCapabilitiesBuilder toBuilder() {
        return new PromptCapabilitiesBuilder(this);
    }
}
