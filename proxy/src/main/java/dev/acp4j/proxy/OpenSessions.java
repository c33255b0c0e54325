package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The sessions that an agent has open, with what opened them, so that one that is started again can open them anew; and
 * those that it could not.
 *
 * <p>The lock guards the former; nothing is called while it is held.
 */
final class OpenSessions {
    static final Set<String> OPENINGS = Set.of("session/new", "session/load", "session/resume", "session/fork");
    static final Set<String> ENDINGS = Set.of("session/close", "session/delete");

    /** A setup or end of a session that is not answered yet. */
    private record Asked(String method, String session, RawJson params) {}

    /** What opens a session again: its id and the params of its setup. */
    record Open(String session, RawJson params) {}

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<RequestId, Asked> asked = new LinkedHashMap<>();

    @GuardedBy("lock")
    private final Map<String, RawJson> open = new LinkedHashMap<>();

    private final Set<String> gone = ConcurrentHashMap.newKeySet();

    /** A message goes to the agent. */
    void told(Message message) {
        RequestId id = message.id();
        if (id == null || !(OPENINGS.contains(message.method()) || ENDINGS.contains(message.method()))) {
            return;
        }
        RawJson params = message.params();
        Asked one =
                new Asked(message.method(), message.session(), params == null ? RawJson.EMPTY_OBJECT : params.copy());
        lock.lock();
        try {
            asked.put(id, one);
        } finally {
            lock.unlock();
        }
    }

    /** The agent has sent a message. */
    void said(Message message) {
        RequestId id = message.id();
        if (id == null || !message.kind().isResponse()) {
            return;
        }
        lock.lock();
        try {
            Asked one = asked.remove(id);
            if (one == null || message.isError()) {
                return;
            }
            if (ENDINGS.contains(one.method)) {
                open.remove(one.session);
                return;
            }
            boolean isNew = one.method.equals("session/new") || one.method.equals("session/fork");
            String session = isNew ? message.session() : one.session;
            if (!session.isEmpty()) {
                open.put(session, of(session, one.params));
                gone.remove(session);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the params of a setup for a session that exists. */
    private static RawJson of(String session, RawJson params) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session);
        JsonReader in = params.reader();
        in.beginObject();
        while (in.nextMember()) {
            String name = in.name();
            RawJson value = in.raw();
            if (!name.equals("sessionId")) {
                out.name(name);
                out.raw(value);
            }
        }
        out.endObject();
        return out.toRawJson();
    }

    /** The agent has ended: returns what was open. */
    List<Open> ended() {
        lock.lock();
        try {
            asked.clear();
            List<Open> all = new ArrayList<>();
            open.forEach((session, params) -> all.add(new Open(session, params)));
            return all;
        } finally {
            lock.unlock();
        }
    }

    /** A session could not be opened again. */
    void lost(String session) {
        gone.add(session);
        lock.lock();
        try {
            open.remove(session);
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a session was open, and is no more since the agent was started again. */
    boolean isGone(String session) {
        return !gone.isEmpty() && gone.contains(session);
    }
}
