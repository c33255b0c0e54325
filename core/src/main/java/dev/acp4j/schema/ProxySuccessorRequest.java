package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A request between a proxy and the next component of its chain, which the conductor forwards.
 *
 * @param method the method of the message
 * @param params its parameters, unchanged, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/proxy-chains">Proxy chains</a>
 */
@Codable
@Draft
@Unstable
public record ProxySuccessorRequest(String method, @Nullable RawJson params, Rest rest) implements Extensible {
    @Evolving
    public ProxySuccessorRequest {
        Objects.requireNonNull(method, "method is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ProxySuccessorRequestBuilder builder(String method) {
        return new ProxySuccessorRequestBuilder(method);
    }

    /** Returns a builder initialized from this record. */
    public ProxySuccessorRequestBuilder toBuilder() {
        return new ProxySuccessorRequestBuilder(this);
    }
}
