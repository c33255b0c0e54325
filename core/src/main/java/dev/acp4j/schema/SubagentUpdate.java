package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.Tag;
import java.util.List;
import java.util.Objects;

/**
 * Creates or updates the session of a subagent, which the session of this update owns. Absent members are kept.
 *
 * @param sessionId the session of the subagent
 * @param title its title to show to users
 * @param description its task, to show to users
 * @param capabilities what the client can do with its session; nothing at first
 * @param state what the subagent does
 * @param cwd the directory it works in, an absolute path; if cleared, that of the owner
 * @param additionalDirectories the additional directories it works in, absolute paths; if cleared, those of the owner
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@Tag("subagent_update")
@Draft
@Unstable
public record SubagentUpdate(
        SessionId sessionId,
        @DefaultOnError Change<String> title,
        @DefaultOnError Change<String> description,
        @DefaultOnError Change<SubagentSessionCapabilities> capabilities,
        @DefaultOnError Change<StateUpdate> state,
        Change<String> cwd,
        Change<List<String>> additionalDirectories,
        Rest rest)
        implements SessionUpdate, Extensible {
    @Evolving
    public SubagentUpdate {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(title, "title is null");
        Objects.requireNonNull(description, "description is null");
        Objects.requireNonNull(capabilities, "capabilities is null");
        Objects.requireNonNull(state, "state is null");
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = Copies.of(additionalDirectories);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SubagentUpdateBuilder builder(SessionId sessionId) {
        return new SubagentUpdateBuilder(sessionId);
    }

    /** Returns a builder initialized from this record. */
    public SubagentUpdateBuilder toBuilder() {
        return new SubagentUpdateBuilder(this);
    }
}
