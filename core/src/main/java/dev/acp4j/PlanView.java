package dev.acp4j;

import dev.acp4j.schema.PlanEntry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an agent intends to do.
 *
 * @param id the agent's id for the plan; null in version 1 of the protocol, where a session has one plan
 * @param entries all tasks, in order
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan">Agent plan</a>
 */
public record PlanView(@Nullable String id, List<PlanEntry> entries) {
    /** Copies the list. */
    public PlanView {
        entries = List.copyOf(entries);
    }
}
