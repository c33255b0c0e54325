package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Name;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;

/**
 * Values of a setting under a heading.
 *
 * @param group the id of the group
 * @param name the heading
 * @param options the values, in the order to show them
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-config-options#configoptionvalue">Values of an
 *     option</a>
 */
@Codable
public record SessionConfigSelectGroup(
        @Name(v2 = "groupId") SessionConfigGroupId group,
        String name,
        @DefaultOnError @SkipInvalidItems List<SessionConfigSelectOption> options,
        Rest rest)
        implements Extensible {
    @Evolving
    public SessionConfigSelectGroup {
        Objects.requireNonNull(group, "group is null");
        Objects.requireNonNull(name, "name is null");
        options = List.copyOf(options);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the session config select group with these members. */
    public static SessionConfigSelectGroup of(
            SessionConfigGroupId group, String name, List<SessionConfigSelectOption> options) {
        return new SessionConfigSelectGroup(group, name, options, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionConfigSelectGroup withMeta(Meta meta) {
        return new SessionConfigSelectGroup(group, name, options, rest.withMeta(meta));
    }
}
