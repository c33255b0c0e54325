package dev.acp4j.schema;

import java.util.List;

/**
 * The status of a compaction of the context. Values that begin with an underscore belong to implementations; other
 * unknown values are reserved for future versions of the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionstatus">Compaction</a>
 */
public final class CompactionStatus extends StringValue {
    /** In progress. */
    public static final CompactionStatus IN_PROGRESS = new CompactionStatus("in_progress");

    /** Completed successfully. */
    public static final CompactionStatus COMPLETED = new CompactionStatus("completed");

    /** Failed. */
    public static final CompactionStatus FAILED = new CompactionStatus("failed");

    /** Cancelled before it was complete. */
    public static final CompactionStatus CANCELLED = new CompactionStatus("cancelled");

    private CompactionStatus(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static CompactionStatus of(String value) {
        return new CompactionStatus(value);
    }

    /** Returns the constants. */
    public static List<CompactionStatus> known() {
        return StringValueCodec.COMPACTION_STATUS.known();
    }
}
