package dev.acp4j.schema;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Names one compaction of a session's context, unique within the session. The agent chooses it.
 *
 * @param value the text on the wire
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#compactionid">Compaction</a>
 */
@StringValue
public record CompactionId(String value) {
    public CompactionId {
        Objects.requireNonNull(value, "value is null");
    }

    /** Returns the id with this text. */
    public static CompactionId of(String value) {
        return new CompactionId(value);
    }

    // By hand, because the methods a record is given are linked at first use, which delays the start.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof CompactionId that && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return value.hashCode();
    }

    /** Returns the text on the wire. */
    @Override
    public String toString() {
        return value;
    }
}
