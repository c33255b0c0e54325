package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that an agent has {@code session/list}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-list#checking-support">Checking support</a>
 */
@Codable
public record SessionListCapabilities(Meta meta) {
    @Evolving
    public SessionListCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionListCapabilities of() {
        return new SessionListCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionListCapabilities withMeta(Meta meta) {
        return new SessionListCapabilities(meta);
    }
}
