package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Logs the user out. In version 1 only for agents with {@link AgentAuthCapabilities#logout()}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#logging-out">Logging out</a>
 */
@Codable
public record LogoutRequest(Rest rest) implements Extensible {
    @Evolving
    public LogoutRequest {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static LogoutRequest of() {
        return new LogoutRequest(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public LogoutRequest withMeta(Meta meta) {
        return new LogoutRequest(rest.withMeta(meta));
    }
}
