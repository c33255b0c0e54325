package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Says that the user is no longer authenticated. What becomes of sessions that are open is up to the agent.
 *
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public LogoutResponse withMeta(Meta meta) {
        return new LogoutResponse(rest.withMeta(meta));
    }
}
