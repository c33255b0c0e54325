package dev.acp4j.schema;

import dev.acp4j.rpc.RequestId;
import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * Cancels a request: notifies the other side that the response is no longer needed. The request is still answered,
 * often with {@link ErrorCode#REQUEST_CANCELLED}.
 *
 * @param requestId the id of the request, chosen by its sender
 * @param rest extension data and unknown members
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

    /** Returns a copy with other extension data. */
    public CancelRequestNotification withMeta(Meta meta) {
        return new CancelRequestNotification(requestId, rest.withMeta(meta));
    }
}
