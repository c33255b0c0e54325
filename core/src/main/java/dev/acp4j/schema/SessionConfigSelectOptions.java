package dev.acp4j.schema;

import java.util.ArrayList;
import java.util.List;

/**
 * The values of a setting, in a flat list or in groups.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoptionvalue">Values of an
 *     option</a>
 */
public sealed interface SessionConfigSelectOptions {
    /** Returns all values in order, group by group. */
    List<SessionConfigSelectOption> options();

    /** Returns values in a flat list. */
    static Ungrouped of(List<SessionConfigSelectOption> options) {
        return new Ungrouped(options);
    }

    /** Returns values in groups. */
    static Grouped grouped(List<SessionConfigSelectGroup> groups) {
        return new Grouped(groups);
    }

    /**
     * Values in a flat list.
     *
     * @param options the values, in the order to show them
     */
    record Ungrouped(List<SessionConfigSelectOption> options) implements SessionConfigSelectOptions {
        public Ungrouped {
            options = List.copyOf(options);
        }
    }

    /**
     * Values in groups, each under its heading.
     *
     * @param groups the groups, in the order to show them
     */
    record Grouped(List<SessionConfigSelectGroup> groups) implements SessionConfigSelectOptions {
        public Grouped {
            groups = List.copyOf(groups);
        }

        @Override
        public List<SessionConfigSelectOption> options() {
            List<SessionConfigSelectOption> all = new ArrayList<>();
            for (SessionConfigSelectGroup group : groups) {
                all.addAll(group.options());
            }
            return List.copyOf(all);
        }
    }
}
