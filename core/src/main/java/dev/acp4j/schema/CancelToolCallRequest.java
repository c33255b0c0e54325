package dev.acp4j.schema;

import dev.acp4j.schema.codec.Codable;
import dev.acp4j.schema.codec.In;
import java.util.Objects;

/**
 * Requests the end of one tool call. Only while the call has {@link ToolCallCapabilities#cancel()}.
 *
 * @param sessionId the session it belongs to
 * @param toolCallId the call
 * @param rest extension data and unknown members
 * @see <a href="https://agentclientprotocol.com/protocol/v2/tool-calls#cancelling-tool-calls">Cancelling tool calls</a>
 */
@Codable
@In(2)
@Unstable
public record CancelToolCallRequest(SessionId sessionId, ToolCallId toolCallId, Rest rest) implements Extensible {
    @Evolving
    public CancelToolCallRequest {
        Objects.requireNonNull(sessionId, "sessionId is null");
        Objects.requireNonNull(toolCallId, "toolCallId is null");
        Objects.requireNonNull(rest, "rest is null");
    }

    /** Returns the request with these members. */
    public static CancelToolCallRequest of(SessionId sessionId, ToolCallId toolCallId) {
        return new CancelToolCallRequest(sessionId, toolCallId, Rest.NONE);
    }

    /** Returns a copy with other extension data. */
    public CancelToolCallRequest withMeta(Meta meta) {
        return new CancelToolCallRequest(sessionId, toolCallId, rest.withMeta(meta));
    }
}
