package dev.acp4j;

import dev.acp4j.schema.Meta;
import dev.acp4j.schema.PlanEntry;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The plan of an agent.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/agent-plan">Agent plan</a>
 */
public final class PlanView extends Entry {
    private final @Nullable String id;
    private final List<PlanEntry> entries;

    PlanView(Place place, Meta meta, @Nullable String id, List<PlanEntry> entries) {
        super(place, meta);
        this.id = id;
        this.entries = List.copyOf(entries);
    }

    /** Returns a plan with these tasks, which is in no timeline. */
    public static PlanView of(List<PlanEntry> entries) {
        return new PlanView(Place.NONE, Meta.EMPTY, null, entries);
    }

    /** Returns the agent's id of the plan; null in version 1 of the protocol, where a session has one plan. */
    public @Nullable String id() {
        return id;
    }

    /** Returns all tasks, in order. */
    public List<PlanEntry> entries() {
        return entries;
    }

    @Override
    List<@Nullable Object> says() {
        return Arrays.asList(id, entries);
    }
}
