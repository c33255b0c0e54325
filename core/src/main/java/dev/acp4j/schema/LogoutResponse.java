package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that the user is no longer authenticated. What becomes of sessions that are open is up to the agent.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#active-sessions">Active sessions</a>
 */
@Codable
public record LogoutResponse(Meta meta) {
    @Evolving
    public LogoutResponse {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static LogoutResponse of() {
        return new LogoutResponse(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public LogoutResponse withMeta(Meta meta) {
        return new LogoutResponse(meta);
    }
}
