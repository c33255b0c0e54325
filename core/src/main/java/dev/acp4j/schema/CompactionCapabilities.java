package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The client supports updates about the compaction of a session's context.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactioncapabilities">Compaction</a>
 */
@Codable
public record CompactionCapabilities(Rest rest) implements Extensible {
    @Evolving
    public CompactionCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static CompactionCapabilities of() {
        return new CompactionCapabilities(Rest.NONE);
    }
}
