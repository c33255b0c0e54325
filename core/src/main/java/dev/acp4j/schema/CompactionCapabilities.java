package dev.acp4j.schema;

/**
 * Says that a client understands news of the compaction of a session's context.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactioncapabilities">Compaction</a>
 */
@Codable
public record CompactionCapabilities() {

    /** Returns the capabilities with these members. */
    public static CompactionCapabilities of() {
        return new CompactionCapabilities();
    }
}
