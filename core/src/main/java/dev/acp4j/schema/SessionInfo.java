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
 * What the list of sessions says of one of them.
 *
 * @param sessionId the session
 * @param cwd the directory it works in, an absolute path
 * @param additionalDirectories all other directories it works in, absolute paths
 * @param title what to call it in front of a user, or null when it has no title
 * @param updatedAt when something last happened in it, as ISO 8601 text, or null when that is not known;
 *     {@link #updatedInstant()} reads it
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#listing-sessions">Listing sessions</a>
 */
@Codable
public record SessionInfo(
        SessionId sessionId,
        String cwd,
        @OptionalMember @DefaultOnError @SkipInvalidItems List<String> additionalDirectories,
        @DefaultOnError @Nullable String title,
        @DefaultOnError @Nullable String updatedAt,
        Rest rest)
        implements Extensible {
    @Evolving
    public SessionInfo {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(cwd, "cwd is null");
        additionalDirectories = List.copyOf(additionalDirectories);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Starts a session info with the members it must have. */
    public static SessionInfoBuilder builder(SessionId sessionId, String cwd) {
        return new SessionInfoBuilder(sessionId, cwd);
    }

    /** Returns when something last happened in it, or nothing when that is not said or not readable. */
    public Optional<Instant> updatedInstant() {
        return Timestamps.parse(updatedAt);
    }

    /** Returns a builder that starts from this. */
    public SessionInfoBuilder toBuilder() {
        return new SessionInfoBuilder(this);
    }
}
