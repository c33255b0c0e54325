package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;

/**
 * Adds to the summary of a compaction; the first about an id makes the compaction, in progress. Only for clients with
 * {@link ClientSessionCapabilities#compaction()}.
 *
 * @param compactionId the compaction
 * @param content what is added at the end
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public CompactionSummaryChunk withMeta(Meta meta) {
        return new CompactionSummaryChunk(compactionId, content, rest.withMeta(meta));
    }
}
