package dev.acp4j.schema;

import dev.acp4j.schema.codec.In;
import java.util.List;

/**
 * The status of a task of a plan.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
public final class PlanEntryStatus extends StringValue {
    /** Not started. */
    public static final PlanEntryStatus PENDING = new PlanEntryStatus("pending");

    /** In progress. */
    public static final PlanEntryStatus IN_PROGRESS = new PlanEntryStatus("in_progress");

    /** Done. */
    public static final PlanEntryStatus COMPLETED = new PlanEntryStatus("completed");

    /** Cancelled. */
    @In(2)
    public static final PlanEntryStatus CANCELLED = new PlanEntryStatus("cancelled");

    private PlanEntryStatus(String value) {
        super(value);
    }

    /** Returns the value with this text, which need not be one of the constants. */
    public static PlanEntryStatus of(String value) {
        return new PlanEntryStatus(value);
    }

    /** Returns the constants. */
    public static List<PlanEntryStatus> known() {
        return StringValueCodec.PLAN_ENTRY_STATUS.known();
    }
}
