package dev.acp4j;

import org.jspecify.annotations.Nullable;

/**
 * How many tokens an agent has used, as it reports at the end of a turn. This is no part of version 1 of the protocol:
 * Claude, Codex, Copilot and opencode report it all the same. Agents differ in whether they count the turn or the
 * session.
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
        @Nullable Long cachedWrite) {}
