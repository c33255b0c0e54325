package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * The configuration of a provider of models, without secrets.
 *
 * @param apiType the protocol it speaks
 * @param baseUrl the address of its API
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record ProviderCurrentConfig(LlmProtocol apiType, String baseUrl, Rest rest) implements Extensible {
    @Evolving
    public ProviderCurrentConfig {
        Objects.requireNonNull(apiType, "apiType is null");
        Objects.requireNonNull(baseUrl, "baseUrl is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the configuration with these members. */
    public static ProviderCurrentConfig of(LlmProtocol apiType, String baseUrl) {
        return new ProviderCurrentConfig(apiType, baseUrl, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ProviderCurrentConfig withMeta(Meta meta) {
        return new ProviderCurrentConfig(apiType, baseUrl, rest.withMeta(meta));
    }

    /** Returns the members; of the address without the user and what follows its path, which may be secret. */
    @Override
    public String toString() {
        return "ProviderCurrentConfig[apiType=" + apiType + ", baseUrl=" + shown(baseUrl) + "]";
    }

    /** Returns an address without its user, its query and its fragment. */
    static String shown(String address) {
        return address.replaceFirst("(?s)[?#].*", "?***").replaceFirst("//[^/]*@", "//***@");
    }
}
