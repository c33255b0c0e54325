package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A mode that a session can be in: it says how the agent works, which tools it has and when it asks.
 *
 * @param id names the mode
 * @param name what to call it in front of a user
 * @param description what it does, or null when it does not say
 * @param rest extension data, and members that are not known here
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

    /** Starts a session mode with the members it must have. */
    public static SessionModeBuilder builder(SessionModeId id, String name) {
        return new SessionModeBuilder(id, name);
    }

    /** Returns a mode without a description. */
    public static SessionMode of(SessionModeId id, String name) {
        return new SessionMode(id, name, null, Rest.NONE);
    }

    /** Returns a builder that starts from this. */
    public SessionModeBuilder toBuilder() {
        return new SessionModeBuilder(this);
    }
}
