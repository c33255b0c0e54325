package dev.acp4j.schema;

import java.util.Objects;

/**
 * Says that an agent has {@code session/resume}.
 *
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions">Resuming sessions</a>
 */
@Codable
public record SessionResumeCapabilities(Meta meta) {
    @Evolving
    public SessionResumeCapabilities {
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionResumeCapabilities of() {
        return new SessionResumeCapabilities(Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public SessionResumeCapabilities withMeta(Meta meta) {
        return new SessionResumeCapabilities(meta);
    }
}
