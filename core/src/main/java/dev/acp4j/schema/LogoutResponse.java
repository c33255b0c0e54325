package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Confirms that the user is no longer authenticated. The effect on open sessions is up to the agent.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#active-sessions">Active sessions</a>
 */
@Codable
public record LogoutResponse(Rest rest) implements Extensible {
    @Evolving
    public LogoutResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static LogoutResponse of() {
        return new LogoutResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public LogoutResponse withMeta(Meta meta) {
        return new LogoutResponse(rest.withMeta(meta));
    }
}
