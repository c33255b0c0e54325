package dev.acp4j.schema;

import java.util.Objects;

/**
 * Ends a turn.
 *
 * @param stopReason why it ended
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#4-check-for-completion">Check for
 *     completion</a>
 */
@Codable
public record PromptResponse(StopReason stopReason, Meta meta) {
    @Evolving
    public PromptResponse {
        Objects.requireNonNull(stopReason, "stopReason is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static PromptResponse of(StopReason stopReason) {
        return new PromptResponse(stopReason, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public PromptResponse withMeta(Meta meta) {
        return new PromptResponse(stopReason, meta);
    }
}
