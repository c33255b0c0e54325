package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a tool call has got.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#status">Status</a>
 */
@StringValue
public record ToolCallStatus(String value) {
    /**
     * Not running yet: its input is still being written, or it waits for permission. A tool call starts like this
     * unless it says otherwise.
     */
    public static final ToolCallStatus PENDING = new ToolCallStatus("pending");

    /** Running. */
    public static final ToolCallStatus IN_PROGRESS = new ToolCallStatus("in_progress");

    /** Ended well. */
    public static final ToolCallStatus COMPLETED = new ToolCallStatus("completed");

    /** Ended with an error. */
    public static final ToolCallStatus FAILED = new ToolCallStatus("failed");

    /** The values to switch over. */
    public enum Known {
        /** {@link ToolCallStatus#PENDING}. */
        PENDING,
        /** {@link ToolCallStatus#IN_PROGRESS}. */
        IN_PROGRESS,
        /** {@link ToolCallStatus#COMPLETED}. */
        COMPLETED,
        /** {@link ToolCallStatus#FAILED}. */
        FAILED,
        /** Any other value; {@link ToolCallStatus#value()} has it. */
        UNRECOGNIZED
    }

    public ToolCallStatus {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static ToolCallStatus of(String value) {
        return new ToolCallStatus(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "pending" -> Known.PENDING;
            case "in_progress" -> Known.IN_PROGRESS;
            case "completed" -> Known.COMPLETED;
            case "failed" -> Known.FAILED;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof ToolCallStatus that && value.equals(that.value);
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
