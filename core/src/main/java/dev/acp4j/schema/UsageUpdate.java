package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The usage of a session's context, and the cost of the session.
 *
 * @param used the number of tokens in the context
 * @param size the size of the context in tokens
 * @param cost the cost of the session so far, or null if not given
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#session-usage-updates">Usage updates</a>
 */
@Codable
@Tag("usage_update")
@Rejecting
public record UsageUpdate(
        @Range long used,
        @Range long size,
        @DefaultOnError @Nullable Cost cost,
        Rest rest) implements SessionUpdate, Extensible {
    @Evolving
    public UsageUpdate {
        Objects.requireNonNull(rest, "rest is null");
        Bounds.unsigned("used", used);
        Bounds.unsigned("size", size);
    }

    /** Returns a builder with the required members. */
    public static UsageUpdateBuilder builder(long used, long size) {
        return new UsageUpdateBuilder(used, size);
    }

    /** Returns a builder initialized from this record. */
    public UsageUpdateBuilder toBuilder() {
        return new UsageUpdateBuilder(this);
    }
}
