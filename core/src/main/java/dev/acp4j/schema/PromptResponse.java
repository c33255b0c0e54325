package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Ends a turn.
 *
 * @param stopReason the reason for the end
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#4-check-for-completion">Check for
 *     completion</a>
 */
@Codable
public record PromptResponse(StopReason stopReason, Rest rest) implements Extensible {
    @Evolving
    public PromptResponse {
        Objects.requireNonNull(stopReason, "stopReason is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static PromptResponse of(StopReason stopReason) {
        return new PromptResponse(stopReason, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PromptResponse withMeta(Meta meta) {
        return new PromptResponse(stopReason, rest.withMeta(meta));
    }
}
