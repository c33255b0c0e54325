package dev.acp4j.schema;

import java.util.Objects;

/**
 * One task of a plan.
 *
 * @param content what is to be done, for the user to read
 * @param priority how much it matters
 * @param status how far it is
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
@Codable
public record PlanEntry(String content, PlanEntryPriority priority, PlanEntryStatus status, Meta meta) {
    @Evolving
    public PlanEntry {
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(priority, "priority is null");
        Objects.requireNonNull(status, "status is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns a task. */
    public static PlanEntry of(String content, PlanEntryPriority priority, PlanEntryStatus status) {
        return new PlanEntry(content, priority, status, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public PlanEntry withMeta(Meta meta) {
        return new PlanEntry(content, priority, status, meta);
    }
}
