package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * One task of a plan.
 *
 * @param content the task, for the user to read
 * @param priority its priority
 * @param status its status
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan#plan-entries">Plan entries</a>
 */
@Codable
public record PlanEntry(String content, PlanEntryPriority priority, PlanEntryStatus status, Rest rest)
        implements Extensible {
    @Evolving
    public PlanEntry {
        Objects.requireNonNull(content, "content is null");
        Objects.requireNonNull(priority, "priority is null");
        Objects.requireNonNull(status, "status is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a task. */
    public static PlanEntry of(String content, PlanEntryPriority priority, PlanEntryStatus status) {
        return new PlanEntry(content, priority, status, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public PlanEntry withMeta(Meta meta) {
        return new PlanEntry(content, priority, status, rest.withMeta(meta));
    }
}
