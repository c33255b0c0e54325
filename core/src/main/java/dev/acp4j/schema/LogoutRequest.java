package dev.acp4j.schema;

import java.util.Objects;

/**
 * Asks the agent to forget who the user is. Only for agents with {@link AgentAuthCapabilities#logout()}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#logging-out">Logging out</a>
 */
@Codable
public record LogoutRequest(Meta meta) {
    @Evolving
    public LogoutRequest {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the request with these members. */
    public static LogoutRequest of() {
        return new LogoutRequest(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public LogoutRequest withMeta(Meta meta) {
        return new LogoutRequest(meta);
    }
}
