package dev.acp4j.schema;

import java.util.Objects;

/**
 * Which sorts of content an agent takes in prompts beside text and links to resources, which all do.
 *
 * @param image whether it takes {@link ContentBlock.Image}
 * @param audio whether it takes {@link ContentBlock.Audio}
 * @param embeddedContext whether it takes {@link ContentBlock.Resource}
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/initialization#prompt-capabilities">Prompt capabilities</a>
 */
@Codable
public record PromptCapabilities(
        @DefaultTo("false") @DefaultOnError boolean image,
        @DefaultTo("false") @DefaultOnError boolean audio,
        @DefaultTo("false") @DefaultOnError boolean embeddedContext,
        Meta meta) {
    /** An agent that takes text and links only. */
    public static final PromptCapabilities NONE = new PromptCapabilities(false, false, false, Meta.EMPTY);

    @Evolving
    public PromptCapabilities {
        Objects.requireNonNull(meta, "meta is null");
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
