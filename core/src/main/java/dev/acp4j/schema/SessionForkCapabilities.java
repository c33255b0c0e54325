package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has {@code session/fork}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/session-fork">Forking sessions</a>
 */
@Codable
@Draft
@Unstable
public record SessionForkCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionForkCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionForkCapabilities of() {
        return new SessionForkCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionForkCapabilities withMeta(Meta meta) {
        return new SessionForkCapabilities(rest.withMeta(meta));
    }
}
