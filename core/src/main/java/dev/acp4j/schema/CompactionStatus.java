package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a compaction of the context has got. Values that begin with an underscore belong to implementations; others
 * that are not known here are left to future versions of the protocol.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionstatus">Compaction</a>
 */
@StringValue
public record CompactionStatus(String value) {
    /** Begun and not finished. */
    public static final CompactionStatus IN_PROGRESS = new CompactionStatus("in_progress");

    /** Ended well. */
    public static final CompactionStatus COMPLETED = new CompactionStatus("completed");

    /** Ended with an error. */
    public static final CompactionStatus FAILED = new CompactionStatus("failed");

    /** Stopped before it was finished. */
    public static final CompactionStatus CANCELLED = new CompactionStatus("cancelled");

    /** The values to switch over. */
    public enum Known {
        /** {@link CompactionStatus#IN_PROGRESS}. */
        IN_PROGRESS,
        /** {@link CompactionStatus#COMPLETED}. */
        COMPLETED,
        /** {@link CompactionStatus#FAILED}. */
        FAILED,
        /** {@link CompactionStatus#CANCELLED}. */
        CANCELLED,
        /** Any other value; {@link CompactionStatus#value()} has it. */
        UNRECOGNIZED
    }

    public CompactionStatus {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static CompactionStatus of(String value) {
        return new CompactionStatus(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "in_progress" -> Known.IN_PROGRESS;
            case "completed" -> Known.COMPLETED;
            case "failed" -> Known.FAILED;
            case "cancelled" -> Known.CANCELLED;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CompactionStatus that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
