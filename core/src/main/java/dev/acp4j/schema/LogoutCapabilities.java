package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that an agent has {@code logout}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/authentication#logging-out">Logging out</a>
 */
@Codable
public record LogoutCapabilities(Meta meta) {
    @Evolving
    public LogoutCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static LogoutCapabilities of() {
        return new LogoutCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public LogoutCapabilities withMeta(Meta meta) {
        return new LogoutCapabilities(meta);
    }
}
