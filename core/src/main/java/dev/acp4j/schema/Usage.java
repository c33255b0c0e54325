package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The number of tokens that were used: in version 1 of the session, in version 2 of the foreground work that has just
 * ended.
 *
 * @param totalTokens all tokens
 * @param inputTokens tokens of input
 * @param outputTokens tokens of output
 * @param thoughtTokens tokens of thoughts, or null if not given
 * @param cachedReadTokens tokens read from a cache, or null if not given
 * @param cachedWriteTokens tokens written to a cache, or null if not given
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/end-turn-token-usage">Token usage of a turn</a>
 */
@Codable
@Draft
@Unstable
@Rejecting
public record Usage(
        @Range long totalTokens,
        @Range long inputTokens,
        @Range long outputTokens,
        @DefaultOnError @Range @Nullable Long thoughtTokens,
        @DefaultOnError @Range @Nullable Long cachedReadTokens,
        @DefaultOnError @Range @Nullable Long cachedWriteTokens,
        Rest rest)
        implements Extensible {
    @Evolving
    public Usage {
        Objects.requireNonNull(rest, "rest is null");
        Bounds.unsigned("totalTokens", totalTokens);
        Bounds.unsigned("inputTokens", inputTokens);
        Bounds.unsigned("outputTokens", outputTokens);
        Bounds.unsigned("thoughtTokens", thoughtTokens);
        Bounds.unsigned("cachedReadTokens", cachedReadTokens);
        Bounds.unsigned("cachedWriteTokens", cachedWriteTokens);
    }

    /** Returns a builder with the required members. */
    public static UsageBuilder builder(long totalTokens, long inputTokens, long outputTokens) {
        return new UsageBuilder(totalTokens, inputTokens, outputTokens);
    }

    /** Returns a builder initialized from this record. */
    public UsageBuilder toBuilder() {
        return new UsageBuilder(this);
    }
}
