package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Accepts a prompt, in version 2. Updates report the result.
 *
 * @param messageId the message of the prompt
 * @param rest extension data and unknown members
 */
@Codable
@In(2)
@Unstable
public record PromptResponseV2(MessageId messageId, Rest rest) implements Extensible {
    @Evolving
    public PromptResponseV2 {
        Objects.requireNonNull(messageId, "messageId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance with these members. */
    public static PromptResponseV2 of(MessageId messageId) {
        return new PromptResponseV2(messageId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PromptResponseV2 withMeta(Meta meta) {
        return new PromptResponseV2(messageId, rest.withMeta(meta));
    }
}
