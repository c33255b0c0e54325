package dev.acp4j.schema;

import dev.acp4j.rpc.RequestId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The scope of a request for user input: a session, a tool call in it, or a request outside of any session.
 *
 * @see <a href="https://agentclientprotocol.com/protocol/v1/schema#createelicitationrequest">Elicitation</a>
 */
public sealed interface ElicitationScope {
    /** Returns the scope of a session. */
    static Session session(SessionId sessionId) {
        return new Session(sessionId, null);
    }

    /** Returns the scope of a tool call. */
    static Session toolCall(SessionId sessionId, ToolCallId toolCallId) {
        return new Session(sessionId, toolCallId);
    }

    /** Returns the scope of a request, for instance for authentication. */
    static Request request(RequestId requestId) {
        return new Request(requestId);
    }

    /**
     * Returns the scope given by the members of an elicitation.
     *
     * @throws IllegalArgumentException if they name none, or more than one
     */
    static ElicitationScope of(
            @Nullable SessionId sessionId, @Nullable ToolCallId toolCallId, @Nullable RequestId requestId) {
        if (sessionId != null && requestId == null) {
            return new Session(sessionId, toolCallId);
        }
        if (requestId != null && sessionId == null && toolCallId == null) {
            return new Request(requestId);
        }
        throw new IllegalArgumentException("expected either a sessionId, with or without a toolCallId, or a requestId");
    }

    /**
     * A session, or a tool call in it.
     *
     * @param sessionId the session
     * @param toolCallId the tool call, or null if it belongs to no particular one
     */
    record Session(SessionId sessionId, @Nullable ToolCallId toolCallId) implements ElicitationScope {
        public Session {
            Objects.requireNonNull(sessionId, "sessionId is null");
        }
    }

    /**
     * A request outside of any session.
     *
     * @param requestId the id of the request, chosen by its sender
     */
    record Request(RequestId requestId) implements ElicitationScope {
        public Request {
            Objects.requireNonNull(requestId, "requestId is null");
        }
    }
}
