package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.Objects;

/**
 * The response to a permission request.
 *
 * @param outcome the decision
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@Codable
public record RequestPermissionResponse(RequestPermissionOutcome outcome, Rest rest) implements Extensible {
    @Evolving
    public RequestPermissionResponse {
        Objects.requireNonNull(outcome, "outcome is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the response with these members. */
    public static RequestPermissionResponse of(RequestPermissionOutcome outcome) {
        return new RequestPermissionResponse(outcome, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public RequestPermissionResponse withMeta(Meta meta) {
        return new RequestPermissionResponse(outcome, rest.withMeta(meta));
    }
}
