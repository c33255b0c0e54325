package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has {@code session/set_title}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record SessionTitleCapabilities(Rest rest) implements Extensible {
    @Evolving
    public SessionTitleCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static SessionTitleCapabilities of() {
        return new SessionTitleCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SessionTitleCapabilities withMeta(Meta meta) {
        return new SessionTitleCapabilities(rest.withMeta(meta));
    }
}
