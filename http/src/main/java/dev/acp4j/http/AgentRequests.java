package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Requests of the agent that the client has not answered, by the ids that the client knows, and the agent's own. The
 * agent of a new connection may count as the one before it did, so its requests get ids that none had before: a late
 * answer to the old agent is none to the new one.
 *
 * <p>The answers given last are kept: a server that sends a request once more, because it does not know that it has
 * arrived, is sent the same answer, and nobody is asked again.
 *
 * <p>Guarded by the lock of its transport.
 */
final class AgentRequests {
    private static final String IDS = "acp4j-question-";
    private static final int KEPT_BYTES = 1024 * 1024;

    /** A request as it came, and the answer as it went. */
    private record Answered(Message request, Message answer) {
        int bytes() {
            return request.length() + answer.length();
        }
    }

    private final Map<RequestId, RequestId> open = new HashMap<>();

    /** As they came, by the ids of the agent. */
    private final Map<RequestId, Message> requests = new HashMap<>();

    /** By the positions of the requests, the oldest first. */
    private final Map<String, Answered> answered = new LinkedHashMap<>();

    private int answeredBytes;
    private long ids;

    /**
     * Notes a request of the agent.
     *
     * @param isLater whether another connection was before this one
     * @return the request as the client is to see it
     */
    Message asks(Message message, RequestId id, boolean isLater) {
        requests.put(id, message);
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

    /** Returns whether a request has come before, and is not answered. */
    boolean isOpen(Message message, RequestId id) {
        return isSame(message, requests.get(id));
    }

    /** Returns the answer that a request was given when it came before; null when it was not, or that is long ago. */
    @Nullable
    Message answerTo(Message message) {
        Answered before = answered.get(cursor(message));
        return before != null && isSame(message, before.request) ? before.answer : null;
    }

    /** Only a position says that it is the same request: agents may use an id again, and ask the same. */
    private static boolean isSame(Message message, @Nullable Message before) {
        return before != null && !cursor(message).isEmpty() && before.raw().equals(message.raw());
    }

    private static String cursor(Message message) {
        return Raw.text(message.params(), "_meta", Wire.CURSOR);
    }

    /** Returns the client's answer as the agent knows it; null when the agent is gone that asked, or has its answer. */
    @Nullable
    Message answered(Message answer, RequestId id) {
        RequestId theirs = open.remove(id);
        if (theirs == null) {
            return null;
        }
        Message request = requests.remove(theirs);
        Message sent = theirs.equals(id) ? answer : withId(answer, theirs);
        if (request != null) {
            keep(new Answered(request, sent));
        }
        return sent;
    }

    private void keep(Answered one) {
        String cursor = cursor(one.request);
        if (cursor.isEmpty()) {
            return;
        }
        Answered before = answered.put(cursor, one);
        answeredBytes += one.bytes() - (before == null ? 0 : before.bytes());
        for (Iterator<Answered> oldest = answered.values().iterator(); answeredBytes > KEPT_BYTES; ) {
            answeredBytes -= oldest.next().bytes();
            oldest.remove();
        }
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
        requests.clear();
        answered.clear();
        answeredBytes = 0;
        return withdrawals;
    }

    private static Message withId(Message message, RequestId id) {
        return Message.parse(Raw.with(message.raw(), "id", id.json()));
    }
}
