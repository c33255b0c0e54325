package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Confirms that the session is no longer archived.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record UnarchiveSessionResponse(Rest rest) implements Extensible {
    @Evolving
    public UnarchiveSessionResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response. */
    public static UnarchiveSessionResponse of() {
        return new UnarchiveSessionResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public UnarchiveSessionResponse withMeta(Meta meta) {
        return new UnarchiveSessionResponse(rest.withMeta(meta));
    }
}
