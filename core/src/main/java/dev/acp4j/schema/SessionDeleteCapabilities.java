package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The agent has {@code session/delete}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/session-delete#checking-support">Checking support</a>
 */
@Codable
public record SessionDeleteCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionDeleteCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the capabilities with these members. */
    public static SessionDeleteCapabilities of() {
        return new SessionDeleteCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionDeleteCapabilities withMeta(Meta meta) {
        return new SessionDeleteCapabilities(rest.withMeta(meta));
    }
}
