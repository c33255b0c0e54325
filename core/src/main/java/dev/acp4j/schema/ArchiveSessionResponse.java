package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Confirms that the session is archived.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record ArchiveSessionResponse(Rest rest) implements Extensible {
    @Evolving
    public ArchiveSessionResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response. */
    public static ArchiveSessionResponse of() {
        return new ArchiveSessionResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ArchiveSessionResponse withMeta(Meta meta) {
        return new ArchiveSessionResponse(rest.withMeta(meta));
    }
}
