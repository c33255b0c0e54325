package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How much a task of a plan matters beside the others.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
@StringValue
public record PlanEntryPriority(String value) {
    /** The goal cannot be reached without it. */
    public static final PlanEntryPriority HIGH = new PlanEntryPriority("high");

    /** It matters, but the goal does not depend on it. */
    public static final PlanEntryPriority MEDIUM = new PlanEntryPriority("medium");

    /** It can be left out. */
    public static final PlanEntryPriority LOW = new PlanEntryPriority("low");

    /** The values to switch over. */
    public enum Known {
        /** {@link PlanEntryPriority#HIGH}. */
        HIGH,
        /** {@link PlanEntryPriority#MEDIUM}. */
        MEDIUM,
        /** {@link PlanEntryPriority#LOW}. */
        LOW,
        /** Any other value; {@link PlanEntryPriority#value()} has it. */
        UNRECOGNIZED
    }

    public PlanEntryPriority {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PlanEntryPriority of(String value) {
        return new PlanEntryPriority(value);
    }

    /** Returns which of the constants this is. */
    public Known known() {
        return switch (value) {
            case "high" -> Known.HIGH;
            case "medium" -> Known.MEDIUM;
            case "low" -> Known.LOW;
            default -> Known.UNRECOGNIZED;
        };
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PlanEntryPriority that && value.equals(that.value);
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
