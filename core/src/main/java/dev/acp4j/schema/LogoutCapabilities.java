package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The agent has {@code logout}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#logging-out">Logging out</a>
 */
@Codable
public record LogoutCapabilities(Rest rest) implements Extensible {
    @Evolving
    public LogoutCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static LogoutCapabilities of() {
        return new LogoutCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public LogoutCapabilities withMeta(Meta meta) {
        return new LogoutCapabilities(rest.withMeta(meta));
    }
}
