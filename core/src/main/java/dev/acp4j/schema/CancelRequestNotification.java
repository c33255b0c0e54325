package dev.acp4j.schema;

import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Tells the other side that the answer to a request is no longer wanted. The request is still answered, often with
 * {@link ErrorCode#REQUEST_CANCELLED}.
 *
 * @param requestId the request, by the id its sender gave it
 * @param rest extension data, and members that are not known here
 * @see <a href="https://agentclientprotocol.com/protocol/v1/cancellation">Cancellation</a>
 */
@Codable
public record CancelRequestNotification(RequestId requestId, Rest rest) implements Extensible {
    @Evolving
    public CancelRequestNotification {
        Objects.requireNonNull(requestId, "requestId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the notification with these members. */
    public static CancelRequestNotification of(RequestId requestId) {
        return new CancelRequestNotification(requestId, Rest.NONE);
    }

    /** Returns the same with other extension data. */
    public CancelRequestNotification withMeta(Meta meta) {
        return new CancelRequestNotification(requestId, rest.withMeta(meta));
    }
}
