package dev.acp4j.http;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which stream a message goes to: what was asked by whom, in both directions. Guarded by the lock of its connection.
 */
final class Routes {
    private static final Names SESSION = Names.of("sessionId");

    /** Methods that need a session. */
    private static final Set<String> OF_A_SESSION = Set.of(
            "session/archive",
            "session/cancel",
            "session/close",
            "session/delete",
            "session/fork",
            "session/load",
            "session/prompt",
            "session/resume",
            "session/set_config_option",
            "session/set_mode",
            "session/set_model",
            "session/set_title",
            "session/status",
            "session/unarchive",
            "terminal/cancel",
            "tool_call/cancel");

    /**
     * A request of the client that is not answered yet.
     *
     * @param session the session it is about; empty for none
     */
    record Asked(String method, String session) {}

    /** A request of the agent that is not answered yet, and the number of its frame. */
    private record Open(Message request, long number) {}

    /** Of two requests with one id, the first is answered first. */
    private final Map<RequestId, ArrayDeque<Asked>> asked = new HashMap<>();

    /** The agent's requests that are not answered yet, in their order. */
    private final Map<RequestId, Open> open = new LinkedHashMap<>();

    static boolean needsSession(String method) {
        return OF_A_SESSION.contains(method);
    }

    /**
     * Returns whether an agent may read another session in params than {@link Message#session} says: {@code sessionId}
     * is not a string, is there twice, or in other letters, such as {@code sessionid}, which some parsers take for it.
     */
    static boolean hasOtherSession(Message message) {
        RawJson params = message.params();
        if (params == null) {
            return false;
        }
        boolean isNamed = false;
        try {
            JsonReader in = params.reader();
            if (in.kind() != JsonReader.Kind.OBJECT) {
                return false;
            }
            in.beginObject();
            for (int member = in.member(SESSION); member != JsonReader.END; member = in.member(SESSION)) {
                boolean isOther = member == 0
                        ? isNamed || (in.kind() != JsonReader.Kind.STRING && in.kind() != JsonReader.Kind.NULL)
                        : in.name().equalsIgnoreCase(SESSION.get(0));
                if (isOther) {
                    return true;
                }
                isNamed |= member == 0;
                in.skip();
            }
        } catch (JsonException e) {
            // The agent says what is wrong with them.
        }
        return false;
    }

    /** Returns whether the history of a session is sent before the request is answered, or may be. */
    static boolean replays(String method) {
        return method.equals("session/load") || method.equals("session/resume");
    }

    /** Returns whether the client wants the history of a session. */
    static boolean wantsHistory(Message request) {
        if (request.method().equals("session/load")) {
            return true;
        }
        RawJson params = request.params();
        return request.method().equals("session/resume")
                && params != null
                && params.value() instanceof JsonObject object
                && object.members().containsKey("replayFrom");
    }

    /** Returns whether a session is gone when the request has been answered. */
    static boolean ends(String method) {
        return method.equals("session/close") || method.equals("session/delete");
    }

    /** Returns whether this answers a request that has its answer: what was sent twice is taken once. */
    boolean isLate(Message message) {
        RequestId id = message.id();
        return message.kind().isResponse() && id != null && !id.isNull() && !open.containsKey(id);
    }

    void received(Message message, String session) {
        if (message.kind() == Message.Kind.REQUEST && message.id() != null) {
            asked.computeIfAbsent(message.id(), id -> new ArrayDeque<>(1)).add(new Asked(message.method(), session));
        } else if (message.kind().isResponse()) {
            RequestId id = message.id();
            if (id != null) {
                open.remove(id);
            }
        }
    }

    /** Returns the request that this answers, and forgets it. Null for the id null and for one that is unknown. */
    @Nullable
    Asked answered(@Nullable RequestId id) {
        ArrayDeque<Asked> same = id == null ? null : asked.get(id);
        Asked first = same == null ? null : same.poll();
        if (same != null && same.isEmpty()) {
            asked.remove(id);
        }
        return first;
    }

    void asks(Message request, long number) {
        if (request.id() != null) {
            open.put(request.id(), new Open(request, number));
        }
    }

    /** Returns the session of the agent's request that this answers; null when there is no such request. */
    @Nullable
    String sessionOfAnswered(@Nullable RequestId id) {
        Open asking = id == null ? null : open.get(id);
        return asking == null ? null : asking.request.session();
    }

    /** Returns the agent's open requests of a session up to a frame, in their order. */
    List<RawJson> open(String session, long until) {
        return open.values().stream()
                .filter(asking ->
                        asking.number <= until && asking.request.session().equals(session))
                .map(asking -> asking.request.raw())
                .toList();
    }

    /** Returns whether the agent has an open request of a session in a frame whose number the test accepts. */
    boolean hasOpen(String session, LongPredicate test) {
        return open.values().stream()
                .anyMatch(asking -> asking.request.session().equals(session) && test.test(asking.number));
    }

    /** Returns {@code running}, {@code requires_action} or {@code idle}. */
    String turnState(String session) {
        if (prompt(session) == null) {
            return "idle";
        }
        boolean isAsking = open.values().stream()
                .anyMatch(asking -> asking.request.session().equals(session));
        return isAsking ? "requires_action" : "running";
    }

    boolean hasPrompt() {
        return asked.values().stream()
                .flatMap(ArrayDeque::stream)
                .anyMatch(request -> request.method.equals("session/prompt"));
    }

    /** Returns the id of the prompt of a session that is not answered yet; null when there is none. */
    @Nullable
    RequestId prompt(String session) {
        for (Map.Entry<RequestId, ArrayDeque<Asked>> entry : asked.entrySet()) {
            for (Asked request : entry.getValue()) {
                if (request.method.equals("session/prompt") && request.session.equals(session)) {
                    return entry.getKey();
                }
            }
        }
        return null;
    }
}
