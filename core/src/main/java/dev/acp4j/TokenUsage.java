package dev.acp4j;

import dev.acp4j.schema.Rest;
import dev.acp4j.schema.Usage;
import org.jspecify.annotations.Nullable;

/**
 * How many tokens an agent has used, as it reports at the end of a turn: a draft, which Claude, Codex, Copilot and
 * opencode follow. Agents of version 1 differ in whether they count the turn or the session; those of version 2 count
 * the turn.
 *
 * @param total all tokens
 * @param input tokens that the model read
 * @param output tokens that the model wrote
 * @param thought tokens of what the model thought; null when not reported
 * @param cachedRead tokens that were read from the provider's cache; null when not reported
 * @param cachedWrite tokens that were written to it; null when not reported
 */
public record TokenUsage(
        long total,
        long input,
        long output,
        @Nullable Long thought,
        @Nullable Long cachedRead,
        @Nullable Long cachedWrite) {
    static @Nullable TokenUsage of(@Nullable Usage usage) {
        return usage == null
                ? null
                : new TokenUsage(
                        usage.totalTokens(),
                        usage.inputTokens(),
                        usage.outputTokens(),
                        usage.thoughtTokens(),
                        usage.cachedReadTokens(),
                        usage.cachedWriteTokens());
    }

    static @Nullable Usage reported(@Nullable TokenUsage usage) {
        return usage == null
                ? null
                : new Usage(
                        usage.total,
                        usage.input,
                        usage.output,
                        usage.thought,
                        usage.cachedRead,
                        usage.cachedWrite,
                        Rest.NONE);
    }
}
