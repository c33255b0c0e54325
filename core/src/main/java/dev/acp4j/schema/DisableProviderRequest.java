package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Disables a provider of models. Only if it is not {@link ProviderInfo#required()}.
 *
 * @param providerId the provider
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record DisableProviderRequest(ProviderId providerId, Rest rest) implements Extensible {
    @Evolving
    public DisableProviderRequest {
        Objects.requireNonNull(providerId, "providerId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static DisableProviderRequest of(ProviderId providerId) {
        return new DisableProviderRequest(providerId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public DisableProviderRequest withMeta(Meta meta) {
        return new DisableProviderRequest(providerId, rest.withMeta(meta));
    }
}
