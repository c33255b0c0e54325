package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Confirms that a provider is disabled.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record DisableProviderResponse(Rest rest) implements Extensible {
    @Evolving
    public DisableProviderResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response. */
    public static DisableProviderResponse of() {
        return new DisableProviderResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public DisableProviderResponse withMeta(Meta meta) {
        return new DisableProviderResponse(rest.withMeta(meta));
    }
}
