package dev.acp4j;

import dev.acp4j.schema.CompactionId;
import dev.acp4j.schema.CompactionStatus;
import dev.acp4j.schema.ContentBlock;
import dev.acp4j.schema.Meta;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A compaction of an agent's context with all its updates merged.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionupdate">Compaction</a>
 */
public final class CompactionView extends Entry {
    private final CompactionId id;
    private final CompactionStatus status;
    private final GrowingContent.Content summary;
    private final @Nullable String error;

    CompactionView(
            Place place,
            Meta meta,
            CompactionId id,
            CompactionStatus status,
            GrowingContent.Content summary,
            @Nullable String error) {
        super(place, meta);
        this.id = id;
        this.status = status;
        this.summary = summary;
        this.error = error;
    }

    /** Returns its id. */
    public CompactionId id() {
        return id;
    }

    /** Returns the status. */
    public CompactionStatus status() {
        return status;
    }

    /**
     * Returns the summary of the context, for the user to read; it may still grow. Neighbouring pieces of text are
     * joined.
     */
    public List<ContentBlock> summary() {
        return summary.blocks();
    }

    /** Returns the error, for the user to read, or null. */
    public @Nullable String error() {
        return error;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(id, status, summary(), error);
    }
}
