package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Ends a turn.
 *
 * @param stopReason the reason for the end
 * @param usage the tokens that the session has used, or null if not given; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#4-check-for-completion">Check for
 *     completion</a>
 */
@Codable
public record PromptResponse(
        StopReason stopReason,
        @Unstable @Draft @DefaultOnError @Nullable Usage usage,
        Rest rest) implements Extensible {
    @Evolving
    @Unstable
    public PromptResponse {
        Objects.requireNonNull(stopReason, "stopReason is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static PromptResponse of(StopReason stopReason) {
        return new PromptResponse(stopReason, null, Rest.NONE);
    }

    /** Returns a copy with this usage. */
    @Unstable
    public PromptResponse withUsage(@Nullable Usage value) {
        return new PromptResponse(stopReason, value, rest);
    }

    /** Returns a copy with other extension data. */
    public PromptResponse withMeta(Meta meta) {
        return new PromptResponse(stopReason, usage, rest.withMeta(meta));
    }
}
