package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * The client supports {@link SubagentUpdate}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@In(1)
@Draft
@Unstable
public record SubagentCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SubagentCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SubagentCapabilities of() {
        return new SubagentCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SubagentCapabilities withMeta(Meta meta) {
        return new SubagentCapabilities(rest.withMeta(meta));
    }
}
