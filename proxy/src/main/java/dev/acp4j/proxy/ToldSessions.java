package dev.acp4j.proxy;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The open sessions, as a component hears of them that is started again. It asks for them by {@code _meta} of its
 * answer to the initialization, and gets a request with how each was opened before anything else.
 *
 * <p>The lock guards the sessions; nothing is called while it is held.
 */
final class ToldSessions {
    /** The method by which a conductor lists the open sessions. */
    static final String METHOD = "_acp4j/sessions";

    private static final String META = "_meta";
    private static final String KEY = "acp4j.dev/sessions";
    private static final String ASKING = "\"" + META + "\":{\"" + KEY + "\":true}}";

    /**
     * One session.
     *
     * @param params the params of the request that opened it, as they came to the component
     * @param passedOn the same as the component has passed them on; null if that is not known
     */
    record Open(
            String session,
            String method,
            RawJson params,
            @Nullable SessionId from,
            @Nullable RawJson passedOn) {}

    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, Open> sessions = new LinkedHashMap<>();

    void add(Open open) {
        lock.lock();
        try {
            sessions.put(open.session, open);
        } finally {
            lock.unlock();
        }
    }

    /** Returns how a session was opened; null if it is not known. */
    @Nullable
    Open get(String session) {
        lock.lock();
        try {
            return sessions.get(session);
        } finally {
            lock.unlock();
        }
    }

    void remove(String session) {
        lock.lock();
        try {
            sessions.remove(session);
        } finally {
            lock.unlock();
        }
    }

    /** Takes over those of others that are not known yet; returns whether there are such. */
    boolean adopt(ToldSessions others) {
        List<Open> all = others.all();
        boolean isMore = false;
        lock.lock();
        try {
            for (Open one : all) {
                isMore |= sessions.putIfAbsent(one.session, one) == null;
            }
        } finally {
            lock.unlock();
        }
        return isMore;
    }

    private List<Open> all() {
        lock.lock();
        try {
            return List.copyOf(sessions.values());
        } finally {
            lock.unlock();
        }
    }

    /** Returns the params that list them. */
    RawJson params() {
        List<Open> all = all();
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessions");
        out.beginArray();
        for (Open open : all) {
            out.beginObject();
            out.name("sessionId");
            out.string(open.session);
            out.name("method");
            out.string(open.method);
            out.name("params");
            out.raw(open.params);
            SessionId from = open.from;
            if (from != null) {
                out.name("from");
                out.string(from.value());
            }
            RawJson passedOn = open.passedOn;
            if (passedOn != null) {
                out.name("passedOn");
                out.raw(passedOn);
            }
            out.endObject();
        }
        out.endArray();
        out.endObject();
        return out.toRawJson();
    }

    /**
     * Reads such params.
     *
     * @throws JsonException when they are none
     */
    static List<Open> read(@Nullable RawJson params) {
        List<Open> all = new ArrayList<>();
        if (params == null) {
            return all;
        }
        RawJson listed = members(params).getOrDefault("sessions", RawJson.parse("[]"));
        JsonReader in = listed.reader("params.sessions");
        in.beginArray();
        while (in.nextElement()) {
            Map<String, RawJson> one = members(in.raw());
            RawJson from = one.get("from");
            all.add(new Open(
                    text(one, "sessionId"),
                    text(one, "method"),
                    one.getOrDefault("params", RawJson.EMPTY_OBJECT),
                    from == null ? null : SessionId.of(from.reader().string()),
                    one.get("passedOn")));
        }
        return all;
    }

    private static String text(Map<String, RawJson> members, String name) {
        return members.getOrDefault(name, RawJson.NULL)
                .reader("params.sessions." + name)
                .string();
    }

    // ---- asking for them

    /** Returns an answer to an initialization that asks for them, and is the same otherwise. */
    static RawJson ask(RawJson answer) {
        Map<String, RawJson> members = members(answer);
        if (!members.containsKey(META) && !members.isEmpty()) {
            String text = answer.toString().stripTrailing();
            return RawJson.parse(text.substring(0, text.length() - 1) + "," + ASKING);
        }
        Map<String, RawJson> meta = members(members.getOrDefault(META, RawJson.EMPTY_OBJECT));
        meta.put(KEY, RawJson.parse("true"));
        members.put(META, object(meta));
        return object(members);
    }

    /** Whether an answer asks for them. */
    static boolean isAsked(RawJson answer) {
        RawJson meta = members(answer).get(META);
        return meta != null && members(meta).containsKey(KEY);
    }

    /** Returns an answer as it was before it asked. */
    static RawJson withoutAsking(RawJson answer) {
        String text = answer.toString();
        if (text.endsWith("," + ASKING)) {
            return RawJson.parse(text.substring(0, text.length() - ASKING.length() - 1) + "}");
        }
        Map<String, RawJson> members = members(answer);
        Map<String, RawJson> meta = members(Objects.requireNonNull(members.get(META)));
        meta.remove(KEY);
        if (meta.isEmpty()) {
            members.remove(META);
        } else {
            members.put(META, object(meta));
        }
        return object(members);
    }

    private static Map<String, RawJson> members(RawJson object) {
        return object.reader().kind() == JsonReader.Kind.OBJECT ? Merge.members(object) : new LinkedHashMap<>();
    }

    private static RawJson object(Map<String, RawJson> members) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        members.forEach((name, value) -> {
            out.name(name);
            out.raw(value);
        });
        out.endObject();
        return out.toRawJson();
    }
}
