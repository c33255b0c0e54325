package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mode of a session: it defines how the agent works, which tools it has and when it asks.
 *
 * @param id the id of the mode
 * @param name the name to show to users
 * @param description a description, or null if not given
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#sessionmode">Session modes</a>
 */
@Codable
public record SessionMode(
        SessionModeId id,
        String name,
        @DefaultOnError @Nullable String description,
        Rest rest) implements Extensible {
    @Evolving
    public SessionMode {
        Objects.requireNonNull(id, "id is null");
        Objects.requireNonNull(name, "name is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SessionModeBuilder builder(SessionModeId id, String name) {
        return new SessionModeBuilder(id, name);
    }

    /** Returns a mode without a description. */
    public static SessionMode of(SessionModeId id, String name) {
        return new SessionMode(id, name, null, Rest.NONE);
    }

    /** Returns a builder initialized from this record. */
    public SessionModeBuilder toBuilder() {
        return new SessionModeBuilder(this);
    }
}
