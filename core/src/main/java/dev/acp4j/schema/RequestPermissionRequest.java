package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import java.util.List;
import java.util.Objects;

/**
 * Asks the client whether a tool call may go on. The answer holds the call up, so clients answer even when the turn is
 * cancelled.
 *
 * @param sessionId the session the call belongs to
 * @param toolCall the call; what it leaves out the client knows from earlier updates
 * @param options the answers to choose from, in the order to show them
 * @param rest extension data, and members that are not known here
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

    /** Returns the same with other extension data. */
    public RequestPermissionRequest withMeta(Meta meta) {
        return new RequestPermissionRequest(sessionId, toolCall, options, rest.withMeta(meta));
    }
}
