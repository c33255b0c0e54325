package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has {@code session/archive} and {@code session/unarchive}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionArchiveCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionArchiveCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionArchiveCapabilities of() {
        return new SessionArchiveCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionArchiveCapabilities withMeta(Meta meta) {
        return new SessionArchiveCapabilities(rest.withMeta(meta));
    }
}
