package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that an agent has {@code session/delete}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete#checking-support">Checking support</a>
 */
@Codable
public record SessionDeleteCapabilities(Meta meta) {
    @Evolving
    public SessionDeleteCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionDeleteCapabilities of() {
        return new SessionDeleteCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionDeleteCapabilities withMeta(Meta meta) {
        return new SessionDeleteCapabilities(meta);
    }
}
