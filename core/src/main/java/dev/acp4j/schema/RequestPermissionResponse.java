package dev.acp4j.schema;

import java.util.Objects;

/**
 * Answers a permission request.
 *
 * @param outcome what was decided
 * @param meta extension data of the implementations, empty when there is none
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@Codable
public record RequestPermissionResponse(RequestPermissionOutcome outcome, Meta meta) {
    @Evolving
    public RequestPermissionResponse {
        Objects.requireNonNull(outcome, "outcome is null");
        Objects.requireNonNull(meta, "meta is null");
    }

    /** Returns the response with these members. */
    public static RequestPermissionResponse of(RequestPermissionOutcome outcome) {
        return new RequestPermissionResponse(outcome, Meta.EMPTY);
    }

    /** Returns the same with other extension data. */
    public RequestPermissionResponse withMeta(Meta meta) {
        return new RequestPermissionResponse(outcome, meta);
    }
}
