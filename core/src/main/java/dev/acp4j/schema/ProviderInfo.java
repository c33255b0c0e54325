package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.DefaultOnError;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.SkipInvalidItems;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A provider of models that can be configured.
 *
 * @param providerId the provider
 * @param supported the protocols it can speak
 * @param required whether it cannot be disabled
 * @param current its configuration without secrets, or null if it is disabled
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record ProviderInfo(
        ProviderId providerId,
        @DefaultOnError @SkipInvalidItems List<LlmProtocol> supported,
        boolean required,
        @Nullable ProviderCurrentConfig current,
        Rest rest)
        implements Extensible {
    @Evolving
    public ProviderInfo {
        Objects.requireNonNull(providerId, "providerId is null");
        supported = List.copyOf(supported);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ProviderInfoBuilder builder(ProviderId providerId, List<LlmProtocol> supported, boolean required) {
        return new ProviderInfoBuilder(providerId, supported, required);
    }

    /** Returns a builder initialized from this record. */
    public ProviderInfoBuilder toBuilder() {
        return new ProviderInfoBuilder(this);
    }
}
