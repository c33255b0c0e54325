package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.SkipInvalidItems;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;

/**
 * News of a compaction of the session's context. The first about an id makes the compaction, at this point of the
 * conversation; later ones change it. Only for clients with {@link ClientSessionCapabilities#compaction()}.
 *
 * @param compactionId the compaction
 * @param status how far it is
 * @param summary all that is left of the context, for the user to read; cleared or empty, nothing
 * @param error what went wrong, for the user to read
 * @param rest extension data, and members that are not known here
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

    /** Starts an update that changes only the status. */
    public static CompactionUpdateBuilder builder(CompactionId compactionId, CompactionStatus status) {
        return new CompactionUpdateBuilder(compactionId, status);
    }

    /** Returns a builder that starts from this. */
    public CompactionUpdateBuilder toBuilder() {
        return new CompactionUpdateBuilder(this);
    }
}
