package dev.acp4j.schema;

import java.util.List;

/**
 * How far a compaction of the context has got. Values that begin with an underscore belong to implementations; others
 * that are not known here are left to future versions of the protocol.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionstatus">Compaction</a>
 */
public final class CompactionStatus extends StringValue {
    /** Begun and not finished. */
    public static final CompactionStatus IN_PROGRESS = new CompactionStatus("in_progress");

    /** Ended well. */
    public static final CompactionStatus COMPLETED = new CompactionStatus("completed");

    /** Ended with an error. */
    public static final CompactionStatus FAILED = new CompactionStatus("failed");

    /** Stopped before it was finished. */
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
        return CompactionStatusCodec.known();
    }
}
