package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has {@code session/status}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionStatusCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionStatusCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionStatusCapabilities of() {
        return new SessionStatusCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionStatusCapabilities withMeta(Meta meta) {
        return new SessionStatusCapabilities(rest.withMeta(meta));
    }
}
