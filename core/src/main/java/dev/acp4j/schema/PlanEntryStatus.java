package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How far a task of a plan has got.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
@StringValue
public record PlanEntryStatus(String value) {
    /** Not begun. */
    public static final PlanEntryStatus PENDING = new PlanEntryStatus("pending");

    /** Being worked on. */
    public static final PlanEntryStatus IN_PROGRESS = new PlanEntryStatus("in_progress");

    /** Done. */
    public static final PlanEntryStatus COMPLETED = new PlanEntryStatus("completed");

    /** The values to switch over. */
    public enum Known {
        /** {@link PlanEntryStatus#PENDING}. */
        PENDING,
        /** {@link PlanEntryStatus#IN_PROGRESS}. */
        IN_PROGRESS,
        /** {@link PlanEntryStatus#COMPLETED}. */
        COMPLETED,
        /** Any other value; {@link PlanEntryStatus#value()} has it. */
        UNRECOGNIZED
    }

    public PlanEntryStatus {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PlanEntryStatus of(String value) {
        return new PlanEntryStatus(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "pending" -> Known.PENDING;
            case "in_progress" -> Known.IN_PROGRESS;
            case "completed" -> Known.COMPLETED;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PlanEntryStatus that && value.equals(that.value);
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
