package dev.acp4j.schema;

import java.util.List;

/**
 * How much a task of a plan matters beside the others.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
public final class PlanEntryPriority extends StringValue {
    /** The goal cannot be reached without it. */
    public static final PlanEntryPriority HIGH = new PlanEntryPriority("high");

    /** It matters, but the goal does not depend on it. */
    public static final PlanEntryPriority MEDIUM = new PlanEntryPriority("medium");

    /** It can be left out. */
    public static final PlanEntryPriority LOW = new PlanEntryPriority("low");

    private PlanEntryPriority(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PlanEntryPriority of(String value) {
        return new PlanEntryPriority(value);
    }

    /** Returns the constants. */
    public static List<PlanEntryPriority> known() {
        return PlanEntryPriorityCodec.known();
    }
}
