package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a client can do with the session of a subagent.
 *
 * @param cancel present if the client may cancel its work, else null
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@Draft
@Unstable
public record SubagentSessionCapabilities(
        @DefaultOnError @Nullable SessionCancelCapabilities cancel, Rest rest) implements Extensible {
    @Evolving
    public SubagentSessionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder of an instance without any member. */
    public static SubagentSessionCapabilitiesBuilder builder() {
        return new SubagentSessionCapabilitiesBuilder();
    }

    /** Returns a builder initialized from this record. */
    public SubagentSessionCapabilitiesBuilder toBuilder() {
        return new SubagentSessionCapabilitiesBuilder(this);
    }
}
