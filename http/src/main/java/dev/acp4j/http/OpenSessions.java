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
     * @param seen the number of the last update; empty if the server does not number them
     */
    record Opened(String id, RawJson params, List<Message> settings, String seen) {}

    private static final class Open {
        final RawJson params;
        final Map<String, Message> settings = new LinkedHashMap<>();
        String seen;

        Open(RawJson params, String seen) {
            this.params = params;
            this.seen = seen;
        }
    }

    private final Map<String, Open> open = new LinkedHashMap<>();

    /** In version 2, the sessions in which a turn runs: only an update ends it. */
    private final Set<String> running = new HashSet<>();

    /** @param result the answer, which has the number of the last update if the server numbers them */
    void opened(String session, @Nullable RawJson params, RawJson result) {
        open.put(session, new Open(params == null ? RawJson.EMPTY_OBJECT : params.copy(), number(result)));
    }

    /**
     * The session was opened again on another connection. Returns whether the server goes on with the numbers before:
     * it may number the updates anew.
     */
    boolean reopened(String session, RawJson result) {
        Open known = open.get(session);
        String number = number(result);
        if (known == null || isOfSameCount(number, known.seen)) {
            return known != null;
        }
        known.seen = number;
        return false;
    }

    /** Notes the number of an update. Returns whether it is later than those before; false without numbers. */
    boolean isLater(Message message) {
        Open known = open.get(message.session());
        if (known == null || known.seen.isEmpty() || !message.method().equals("session/update")) {
            return false;
        }
        String number = number(message.params());
        boolean isLater = isOfSameCount(number, known.seen) && position(number) > position(known.seen);
        known.seen = isLater ? number : known.seen;
        return isLater;
    }

    private static String number(@Nullable RawJson object) {
        return Raw.text(object, "_meta", Wire.UPDATE);
    }

    /** A number is the name of the count, and the position in it. */
    private static boolean isOfSameCount(String number, String other) {
        int dash = number.lastIndexOf('-');
        return dash > 0 && other.lastIndexOf('-') == dash && other.startsWith(number.substring(0, dash));
    }

    private static long position(String number) {
        try {
            return Long.parseLong(number.substring(number.lastIndexOf('-') + 1));
        } catch (NumberFormatException e) {
            return 0;
        }
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
        open.forEach((id, session) ->
                all.add(new Opened(id, session.params, List.copyOf(session.settings.values()), session.seen)));
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
