package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The agent has the {@code providers} methods.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record ProvidersCapabilities(Rest rest) implements Extensible {
    @Evolving
    public ProvidersCapabilities {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns an instance. */
    public static ProvidersCapabilities of() {
        return new ProvidersCapabilities(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ProvidersCapabilities withMeta(Meta meta) {
        return new ProvidersCapabilities(rest.withMeta(meta));
    }
}
