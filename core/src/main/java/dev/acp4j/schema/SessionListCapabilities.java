package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The agent has {@code session/list}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#checking-support">Checking support</a>
 */
@Codable
public record SessionListCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionListCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionListCapabilities of() {
        return new SessionListCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionListCapabilities withMeta(Meta meta) {
        return new SessionListCapabilities(rest.withMeta(meta));
    }
}
