package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.List;
import java.util.Objects;

/**
 * The providers of models that can be configured.
 *
 * @param providers the providers, possibly none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record ListProvidersResponse(List<ProviderInfo> providers, Rest rest) implements Extensible {
    @Evolving
    public ListProvidersResponse {
        providers = List.copyOf(providers);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static ListProvidersResponse of(List<ProviderInfo> providers) {
        return new ListProvidersResponse(providers, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ListProvidersResponse withMeta(Meta meta) {
        return new ListProvidersResponse(providers, rest.withMeta(meta));
    }
}
