package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Confirms the configuration of a provider.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record SetProviderResponse(Rest rest) implements Extensible {
    @Evolving
    public SetProviderResponse {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response. */
    public static SetProviderResponse of() {
        return new SetProviderResponse(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public SetProviderResponse withMeta(Meta meta) {
        return new SetProviderResponse(rest.withMeta(meta));
    }
}
