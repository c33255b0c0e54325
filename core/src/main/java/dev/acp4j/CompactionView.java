package dev.acp4j;

import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.CompactionSummaryChunk;
import dev.acp4j.schema.CompactionUpdate;
import dev.acp4j.schema.ContentBlock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compaction of an agent's context with all its updates merged.
 *
 * @param id its id
 * @param status how far it is
 * @param summary what is left of the context, for the user to read; may still be growing
 * @param error what went wrong, for the user to read, or null
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionupdate">Compaction</a>
 */
public record CompactionView(
        CompactionId id,
        CompactionStatus status,
        List<ContentBlock> summary,
        @Nullable String error) {
    /** Copies the list. */
    public CompactionView {
        summary = List.copyOf(summary);
    }

    static CompactionView begun(CompactionId id) {
        return new CompactionView(id, CompactionStatus.IN_PROGRESS, List.of(), null);
    }

    CompactionView with(CompactionUpdate update) {
        List<ContentBlock> replaced = update.summary().applyTo(summary);
        return new CompactionView(
                id,
                update.status(),
                replaced == null ? List.of() : replaced,
                update.error().applyTo(error));
    }

    CompactionView with(CompactionSummaryChunk chunk) {
        List<ContentBlock> more = new ArrayList<>(summary);
        more.add(chunk.content());
        return new CompactionView(id, status, more, error);
    }
}
