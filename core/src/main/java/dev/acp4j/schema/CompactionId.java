package dev.acp4j.schema;

/**
 * Identifies a compaction of a session's context, unique within the session. The agent chooses it.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionid">Compaction</a>
 */
public final class CompactionId extends StringValue {
    private CompactionId(String value) {
        super(value);
    }

    /** Returns the id with this text. */
    public static CompactionId of(String value) {
        return new CompactionId(value);
    }
}
