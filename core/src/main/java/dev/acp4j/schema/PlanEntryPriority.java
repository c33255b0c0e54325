package dev.acp4j.schema;

import java.util.List;

/**
 * The priority of a task of a plan.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
public final class PlanEntryPriority extends StringValue {
    /** The task is required for the goal. */
    public static final PlanEntryPriority HIGH = new PlanEntryPriority("high");

    /** The task is important, but not required for the goal. */
    public static final PlanEntryPriority MEDIUM = new PlanEntryPriority("medium");

    /** The task is optional. */
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
        return StringValueCodec.PLAN_ENTRY_PRIORITY.known();
    }
}
