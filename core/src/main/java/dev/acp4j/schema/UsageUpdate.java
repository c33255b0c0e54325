package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Range;
import dev.acp4j.schema.codec.Tag;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How full the context of a session is, and what the session has cost.
 *
 * @param used the tokens that are in the context
 * @param size the tokens that the context has room for
 * @param cost what the session has cost so far, or null when it does not say
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/prompt-turn#session-usage-updates">Usage updates</a>
 */
@Codable
@Tag("usage_update")
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

    /** Starts an usage update with the members it must have. */
    public static UsageUpdateBuilder builder(long used, long size) {
        return new UsageUpdateBuilder(used, size);
    }

    /** Returns a builder that starts from this. */
    public UsageUpdateBuilder toBuilder() {
        return new UsageUpdateBuilder(this);
    }
}
