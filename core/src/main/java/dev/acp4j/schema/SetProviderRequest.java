package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import dev.acp4j.schema.codec.MapCodec;
import dev.acp4j.schema.codec.OptionalMember;
import java.util.Map;
import java.util.Objects;

/**
 * Configures a provider of models, replacing its whole configuration. Headers are often secret, and so are the user and
 * the query of an address: {@link #toString()} omits them.
 *
 * @param providerId the provider
 * @param apiType the protocol it speaks
 * @param baseUrl the address of its API
 * @param headers HTTP headers to send with each request, such as {@code Authorization}
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record SetProviderRequest(
        ProviderId providerId,
        LlmProtocol apiType,
        String baseUrl,
        @OptionalMember Map<String, String> headers,
        Rest rest)
        implements Extensible {
    @Evolving
    public SetProviderRequest {
        Objects.requireNonNull(providerId, "providerId is null");
        Objects.requireNonNull(apiType, "apiType is null");
        Objects.requireNonNull(baseUrl, "baseUrl is null");
        headers = MapCodec.copyOf(headers);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static SetProviderRequestBuilder builder(ProviderId providerId, LlmProtocol apiType, String baseUrl) {
        return new SetProviderRequestBuilder(providerId, apiType, baseUrl);
    }

    /** Returns the members, without the values of the headers and what may be secret in the address. */
    @Override
    public String toString() {
        return "SetProviderRequest[providerId=" + providerId + ", apiType=" + apiType + ", baseUrl="
                + ProviderCurrentConfig.shown(baseUrl) + ", headers=" + headers.keySet() + "]";
    }

    /** Returns a builder initialized from this record. */
    public SetProviderRequestBuilder toBuilder() {
        return new SetProviderRequestBuilder(this);
    }
}
