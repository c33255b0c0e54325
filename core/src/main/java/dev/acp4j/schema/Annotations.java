package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.Rejecting;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hints on the audience and priority of a piece of content. A client may ignore them.
 *
 * @param audience the intended sides of the conversation, empty if not given
 * @param lastModified the time of the last change, as ISO 8601 text, or null if unknown; {@link #lastModifiedInstant()}
 *     reads it
 * @param priority the priority, from 0 (lowest) to 1 (highest), or null if not given
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content">Content</a>
 */
@Codable
@Rejecting
public record Annotations(
        @OptionalMember @DefaultOnError @SkipInvalidItems List<Role> audience,
        @DefaultOnError @Nullable String lastModified,
        @DefaultOnError @Nullable Double priority,
        Rest rest)
        implements Extensible {
    @Evolving
    public Annotations {
        audience = List.copyOf(audience);
        Objects.requireNonNull(rest, "rest is null");
        Bounds.finite("priority", priority);
    }

    /** Returns a builder of empty annotations. */
    public static AnnotationsBuilder builder() {
        return new AnnotationsBuilder();
    }

    /** Returns the time of the last change, or empty if it is missing or malformed. */
    public Optional<Instant> lastModifiedInstant() {
        return Timestamps.parse(lastModified);
    }

    /** Returns a builder initialized from this record. */
    public AnnotationsBuilder toBuilder() {
        return new AnnotationsBuilder(this);
    }
}
