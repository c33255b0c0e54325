package dev.acp4j.http;

import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that a client has open: how each was opened, what was set since, and in which of them a turn runs.
 * Guarded by the lock of its transport.
 */
final class OpenSessions {
    /** An update that says a state is shorter. */
    private static final int LONGEST_STATE = 8 * 1024;

    /**
     * What opens a session again.
     *
     * @param params what it was opened with
     * @param settings what was set since, the last of each
     */
    record Opened(String id, RawJson params, List<Message> settings) {}

    private static final class Open {
        final RawJson params;
        final Map<String, Message> settings = new LinkedHashMap<>();

        Open(RawJson params) {
            this.params = params;
        }
    }

    private final Map<String, Open> open = new LinkedHashMap<>();

    /** In version 2, the sessions in which a turn runs: only an update ends it. */
    private final Set<String> running = new HashSet<>();

    void opened(String session, @Nullable RawJson params) {
        open.put(session, new Open(params == null ? RawJson.EMPTY_OBJECT : params.copy()));
    }

    void closed(String session) {
        open.remove(session);
    }

    /** Notes the last request that has set something, under the name of that. */
    void set(String session, String what, Message call) {
        Open known = open.get(session);
        if (known != null) {
            known.settings.put(what, call);
        }
    }

    List<Opened> all() {
        List<Opened> all = new ArrayList<>();
        open.forEach((id, session) -> all.add(new Opened(id, session.params, List.copyOf(session.settings.values()))));
        return all;
    }

    // ---- turns of version 2

    /** The agent has accepted a prompt. */
    void runs(String session) {
        running.add(session);
    }

    /** Notes whether a turn runs, if the message says so. */
    void noteState(Message message) {
        RawJson params = message.params();
        if (params == null
                || message.length() > LONGEST_STATE
                || !message.method().equals("session/update")
                || !Raw.text(params, "update", "sessionUpdate").equals("state_update")) {
            return;
        }
        String state = Raw.text(params, "update", "state");
        boolean unused = state.equals("idle") ? running.remove(message.session()) : running.add(message.session());
    }

    /** Forgets the turns that ran, and returns the update that ends each for a reason. */
    List<Message> interrupt(HttpFailure why) {
        List<Message> ends =
                running.stream().map(session -> turnLost(session, why)).toList();
        running.clear();
        return ends;
    }

    private static Message turnLost(String session, HttpFailure why) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session);
        out.name("update");
        out.beginObject();
        out.name("sessionUpdate");
        out.string("state_update");
        out.name("state");
        out.string("idle");
        out.name("stopReason");
        out.string("error");
        out.name("error");
        out.raw(Objects.requireNonNull(
                Raw.member(why.answer(RequestId.of(0)).raw(), "error"), "an answer of a failure has an error"));
        out.endObject();
        out.endObject();
        return Message.notification("session/update", out.toRawJson());
    }
}
