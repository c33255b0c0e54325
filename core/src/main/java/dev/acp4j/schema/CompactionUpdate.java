package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;

/**
 * An update of a compaction of the session's context. The first one with an id creates the compaction, at this point of
 * the conversation; later ones change it. Only for clients with {@link ClientSessionCapabilities#compaction()}.
 *
 * @param compactionId the compaction
 * @param status its status
 * @param summary the summary of the context, for the user to read; none if cleared or empty
 * @param error the error, for the user to read
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionupdate">Compaction</a>
 */
@Codable
@Tag("compaction_update")
public record CompactionUpdate(
        CompactionId compactionId,
        CompactionStatus status,
        @DefaultOnError @SkipInvalidItems Change<List<ContentBlock>> summary,
        @DefaultOnError Change<String> error,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public CompactionUpdate {
        Objects.requireNonNull(compactionId, "compactionId is null");
        Objects.requireNonNull(status, "status is null");
        summary = Copies.of(summary);
        Objects.requireNonNull(error, "error is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an update that changes only the status. */
    public static CompactionUpdateBuilder builder(CompactionId compactionId, CompactionStatus status) {
        return new CompactionUpdateBuilder(compactionId, status);
    }

    /** Returns a builder initialized from this record. */
    public CompactionUpdateBuilder toBuilder() {
        return new CompactionUpdateBuilder(this);
    }
}
