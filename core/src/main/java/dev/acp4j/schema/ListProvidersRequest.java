package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;

/**
 * Requests the providers of models that can be configured. Only for agents with {@link AgentCapabilities#providers()}.
 *
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/custom-llm-endpoint">Providers</a>
 */
@Codable
@Draft
@Unstable
public record ListProvidersRequest(Rest rest) implements Extensible {
    @Evolving
    public ListProvidersRequest {
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request. */
    public static ListProvidersRequest of() {
        return new ListProvidersRequest(Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public ListProvidersRequest withMeta(Meta meta) {
        return new ListProvidersRequest(rest.withMeta(meta));
    }
}
