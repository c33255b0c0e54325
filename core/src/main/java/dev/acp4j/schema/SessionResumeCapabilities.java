package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The agent has {@code session/resume}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions">Resuming sessions</a>
 */
@Codable
public record SessionResumeCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionResumeCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionResumeCapabilities of() {
        return new SessionResumeCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionResumeCapabilities withMeta(Meta meta) {
        return new SessionResumeCapabilities(rest.withMeta(meta));
    }
}
