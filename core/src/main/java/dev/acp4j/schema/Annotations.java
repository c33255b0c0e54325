package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Hints on whom a piece of content is for and how much it matters. A client may heed them or not.
 *
 * @param audience the sides of the conversation the content is meant for, empty when it does not say
 * @param lastModified when the content was last changed, as ISO 8601 text, or null when that is not known;
 *     {@link #lastModifiedInstant()} reads it
 * @param priority how much the content matters, from 0 for least to 1 for most, or null when it does not say
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/content">Content</a>
 */
@Codable
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

    /** Starts annotations that say nothing. */
    public static AnnotationsBuilder builder() {
        return new AnnotationsBuilder();
    }

    /** Returns when the content was last changed, or nothing when that is not said or not readable. */
    public Optional<Instant> lastModifiedInstant() {
        return Timestamps.parse(lastModified);
    }

    /** Returns a builder that starts from this. */
    public AnnotationsBuilder toBuilder() {
        return new AnnotationsBuilder(this);
    }
}
