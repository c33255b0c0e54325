package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms the new mode of the session.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-modes#setting-the-current-mode">Setting the current
 *     mode</a>
 */
@Codable
public record SetSessionModeResponse(Rest rest) implements Extensible {
    @Evolving
    public SetSessionModeResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static SetSessionModeResponse of() {
        return new SetSessionModeResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetSessionModeResponse withMeta(Meta meta) {
        return new SetSessionModeResponse(rest.withMeta(meta));
    }
}
