package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;

/**
 * Appends to the summary of a compaction; the first chunk with an id creates the compaction, in progress. Only for
 * clients with {@link ClientSessionCapabilities#compaction()}.
 *
 * @param compactionId the compaction
 * @param content the appended content
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionsummarychunk">Compaction</a>
 */
@Codable
@Tag("compaction_summary_chunk")
public record CompactionSummaryChunk(CompactionId compactionId, ContentBlock content, Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public CompactionSummaryChunk {
        Objects.requireNonNull(compactionId, "compactionId is null");
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the compaction summary chunk with these members. */
    public static CompactionSummaryChunk of(CompactionId compactionId, ContentBlock content) {
        return new CompactionSummaryChunk(compactionId, content, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CompactionSummaryChunk withMeta(Meta meta) {
        return new CompactionSummaryChunk(compactionId, content, rest.withMeta(meta));
    }
}
