package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.OptionalMember;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An entry in the list of sessions.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path
 * @param additionalDirectories the additional directories it works in, absolute paths
 * @param title the title to show to users, or null if it has none
 * @param updatedAt the time of its last activity, as ISO 8601 text, or null if unknown; {@link #updatedInstant()} reads
 *     it
 * @param archived whether it is archived, or null if not given; a draft
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions">Listing sessions</a>
 */
@Codable
public record SessionInfo(
        SessionId sessionId,
        String cwd,

        @OptionalMember @DefaultOnError(1) @SkipInvalidItems(1)
        List<String> additionalDirectories,

        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String updatedAt,
        @Unstable @Draft @DefaultOnError @Nullable Boolean archived,
        Rest rest)
        implements Extensible {
    @Evolving
    @Unstable
    public SessionInfo {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = List.copyOf(additionalDirectories);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SessionInfoBuilder builder(SessionId sessionId, String cwd) {
        return new SessionInfoBuilder(sessionId, cwd);
    }

    /** Returns the time of its last activity, or empty if it is missing or malformed. */
    public Optional<Instant> updatedInstant() {
        return Timestamps.parse(updatedAt);
    }

    /** Returns a builder initialized from this record. */
    public SessionInfoBuilder toBuilder() {
        return new SessionInfoBuilder(this);
    }
}
