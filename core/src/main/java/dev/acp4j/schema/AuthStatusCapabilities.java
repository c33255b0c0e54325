package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has {@code auth/status}, and may send {@code auth/status_update}.
 *
 * @param rest extension data and unknown members
 */
@Codable
@Draft
@Unstable
public record AuthStatusCapabilities(Rest rest) implements Extensible {
    @Evolving
    public AuthStatusCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static AuthStatusCapabilities of() {
        return new AuthStatusCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public AuthStatusCapabilities withMeta(Meta meta) {
        return new AuthStatusCapabilities(rest.withMeta(meta));
    }
}
