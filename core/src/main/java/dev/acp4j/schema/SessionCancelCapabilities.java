package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The client may cancel the work of the session.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/subagents">Subagents</a>
 */
@Codable
@Draft
@Unstable
public record SessionCancelCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionCancelCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionCancelCapabilities of() {
        return new SessionCancelCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionCancelCapabilities withMeta(Meta meta) {
        return new SessionCancelCapabilities(rest.withMeta(meta));
    }
}
