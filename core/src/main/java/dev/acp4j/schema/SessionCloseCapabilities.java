package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that an agent has {@code session/close}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions">Closing active
 *     sessions</a>
 */
@Codable
public record SessionCloseCapabilities(Meta meta) {
    @Evolving
    public SessionCloseCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionCloseCapabilities of() {
        return new SessionCloseCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionCloseCapabilities withMeta(Meta meta) {
        return new SessionCloseCapabilities(meta);
    }
}
