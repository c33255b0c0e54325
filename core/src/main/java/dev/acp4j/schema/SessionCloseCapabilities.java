package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The agent has {@code session/close}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions">Closing active
 *     sessions</a>
 */
@Codable
public record SessionCloseCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionCloseCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionCloseCapabilities of() {
        return new SessionCloseCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionCloseCapabilities withMeta(Meta meta) {
        return new SessionCloseCapabilities(rest.withMeta(meta));
    }
}
