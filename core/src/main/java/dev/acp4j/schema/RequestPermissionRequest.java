package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.List;
import java.util.Objects;

/**
 * Requests permission for a tool call. The tool call waits for the response, so clients must respond even if the turn
 * is cancelled.
 *
 * @param sessionId the session the call belongs to
 * @param toolCall the call; the client knows omitted members from earlier updates
 * @param options the options, in the order to show them
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v1/tool-calls#requesting-permission">Requesting permission</a>
 */
@Codable
public record RequestPermissionRequest(
        SessionId sessionId, ToolCallUpdate toolCall, List<PermissionOption> options, Rest rest) implements Extensible {
    @Evolving
    public RequestPermissionRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(toolCall, "toolCall is null");
        options = List.copyOf(options);
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static RequestPermissionRequest of(
            SessionId sessionId, ToolCallUpdate toolCall, List<PermissionOption> options) {
        return new RequestPermissionRequest(sessionId, toolCall, options, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public RequestPermissionRequest withMeta(Meta meta) {
        return new RequestPermissionRequest(sessionId, toolCall, options, rest.withMeta(meta));
    }
}
