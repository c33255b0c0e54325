package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the agent that the client has not answered, by the ids that the client knows, and the agent's own. The
 * agent of a new connection may count as the one before it did, so its requests get ids that none had before: a late
 * answer to the old agent is none to the new one.
 *
 * <p>Guarded by the lock of its transport.
 */
final class AgentRequests {
    private static final String IDS = "acp4j-question-";

    private final Map<RequestId, RequestId> open = new HashMap<>();
    private long ids;

    /**
     * Notes a request of the agent.
     *
     * @param isLater whether another connection was before this one
     * @return the request as the client is to see it
     */
    Message asks(Message message, RequestId id, boolean isLater) {
        if (!isLater) {
            open.put(id, id);
            return message;
        }
        if (message.kind() != Message.Kind.REQUEST) {
            // Broken or too large, so it keeps its id; an answer must not be that to an earlier request.
            open.putIfAbsent(id, id);
            return message;
        }
        ids++;
        RequestId shown = RequestId.of(IDS + ids);
        open.put(shown, id);
        return withId(message, shown);
    }

    /** Returns the client's answer as the agent knows it; null when the agent is gone that asked, or has its answer. */
    @Nullable
    Message answered(Message answer, RequestId id) {
        RequestId theirs = open.remove(id);
        if (theirs == null) {
            return null;
        }
        return theirs.equals(id) ? answer : withId(answer, theirs);
    }

    /** Returns the agent's cancellation of a request as the client knows that; null when it knows no such request. */
    @Nullable
    Message cancelled(Message cancellation, RawJson params, RawJson id) {
        for (Map.Entry<RequestId, RequestId> entry : open.entrySet()) {
            if (entry.getValue().json().equals(id)) {
                return cancellation.withParams(
                        Raw.with(params, "requestId", entry.getKey().json()));
            }
        }
        return null;
    }

    /** Forgets all requests, and returns what withdraws them. */
    List<Message> withdraw() {
        List<Message> withdrawals = open.keySet().stream()
                .map(id -> Message.notification(
                        "$/cancel_request", Raw.with(RawJson.EMPTY_OBJECT, "requestId", id.json())))
                .toList();
        open.clear();
        return withdrawals;
    }

    private static Message withId(Message message, RequestId id) {
        return Message.parse(Raw.with(message.raw(), "id", id.json()));
    }
}
