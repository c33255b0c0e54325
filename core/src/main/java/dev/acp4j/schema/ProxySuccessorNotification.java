package dev.acp4j.schema;

import dev.acp4j.json.RawJson;
import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.Draft;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A notification between a proxy and the next component of its chain, which the conductor forwards.
 *
 * @param method the method of the message
 * @param params its parameters, unchanged, or null for none
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/rfds/proxy-chains">Proxy chains</a>
 */
@Codable
@Draft
@Unstable
public record ProxySuccessorNotification(
        String method, @Nullable RawJson params, Rest rest) implements Extensible {
    @Evolving
    public ProxySuccessorNotification {
        Objects.requireNonNull(method, "method is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns a builder with the required members. */
    public static ProxySuccessorNotificationBuilder builder(String method) {
        return new ProxySuccessorNotificationBuilder(method);
    }

    /** Returns a builder initialized from this record. */
    public ProxySuccessorNotificationBuilder toBuilder() {
        return new ProxySuccessorNotificationBuilder(this);
    }
}
