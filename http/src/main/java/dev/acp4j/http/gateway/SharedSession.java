package dev.acp4j.http.gateway;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a session for clients that come later: what it was opened with, as it is now; its updates, up to a
 * bound; and whether it is busy. Guarded by the lock of its {@link Attachments}.
 */
final class SharedSession {
    private static final String NUMBER = "acp4j/update";
    private static final RawJson TRUE = RawJson.of(JsonBoolean.of(true));

    /** Beyond it the oldest updates are dropped. */
    private static final long KEPT_BYTES = 16L * 1024 * 1024;

    private static final int BYTES_BESIDE = 200;

    private final ArrayDeque<Message> updates = new ArrayDeque<>();

    /** Names the count of the updates: that of another agent process is another one. */
    private final String count = Long.toHexString(new SecureRandom().nextLong());

    /** How many updates there were. */
    private long counted;

    private long bytes;
    private long usedAt;
    private int turns;
    private Map<String, JsonValue> opened = Map.of();

    /** The params that the agent has opened it with. */
    private final Map<String, JsonValue> place;

    /** Whether the updates begin where the session begins. */
    private boolean complete;

    /** The last state of version 2 is not idle. */
    private boolean works;

    SharedSession(Message opening, boolean complete) {
        this.place = members(opening.params());
        this.complete = complete;
    }

    /** Returns what a request to open it names otherwise than the session has it: folders and MCP servers. */
    List<String> differences(Message opening) {
        Map<String, JsonValue> asked = members(opening.params());
        return Stream.of("cwd", "additionalDirectories", "mcpServers")
                .filter(name -> asked.containsKey(name) && !value(asked, name).equals(value(place, name)))
                .toList();
    }

    private static JsonValue value(Map<String, JsonValue> params, String name) {
        return params.getOrDefault(name, JsonArray.of());
    }

    /** Keeps what the session was opened with, for those who open it later. */
    void opened(RawJson result) {
        opened = members(result);
    }

    /** Returns what the session is opened with now. */
    RawJson opened() {
        if (complete) {
            return RawJson.of(JsonObject.of(opened));
        }
        return withMeta(RawJson.of(JsonObject.of(opened)), "acp4j/historyIncomplete", TRUE);
    }

    private static Map<String, JsonValue> members(@Nullable RawJson json) {
        try {
            return json != null && json.value() instanceof JsonObject object ? object.members() : Map.of();
        } catch (JsonException e) {
            return Map.of();
        }
    }

    /** A client has begun a turn, or left the session. */
    void used(long now) {
        usedAt = now;
    }

    /** Returns when it was used last; before it was left for the first time, that is of no interest. */
    long usedAt() {
        return usedAt;
    }

    /** Returns how much is kept. */
    long bytes() {
        return bytes;
    }

    /** Drops the oldest update. */
    void dropOldest() {
        bytes -= updates.remove().length() + BYTES_BESIDE;
        complete = false;
    }

    void keep(Message update) {
        updates.add(update);
        counted++;
        bytes += update.length() + BYTES_BESIDE;
        while (bytes > KEPT_BYTES) {
            dropOldest();
        }
        switch (kind(update)) {
            case "state_update" -> member(update, "state").ifPresent(state -> works = !state.equals(text("idle")));
            case "current_mode_update" -> member(update, "currentModeId").ifPresent(this::mode);
            case "config_option_update" ->
                member(update, "configOptions").ifPresent(options -> put("configOptions", options));
            default -> {
                // It changes nothing of what a session is opened with.
            }
        }
    }

    /** A client has changed a setting. */
    void set(Message request, Message answer) {
        JsonValue mode = members(request.params()).get("modeId");
        JsonValue options = members(answer.result()).get("configOptions");
        if (mode != null) {
            mode(mode);
        }
        if (options != null) {
            put("configOptions", options);
        }
    }

    private void mode(JsonValue id) {
        if (opened.get("modes") instanceof JsonObject modes) {
            Map<String, JsonValue> changed = new LinkedHashMap<>(modes.members());
            changed.put("currentModeId", id);
            put("modes", JsonObject.of(changed));
        }
    }

    private void put(String name, JsonValue value) {
        Map<String, JsonValue> changed = new LinkedHashMap<>(opened);
        changed.put(name, value);
        opened = changed;
    }

    private static JsonValue text(String value) {
        return JsonString.of(value);
    }

    /** An update, and its number for those who want it. */
    record Numbered(Message update, String number) {
        /** Returns the update with its number. */
        Message marked() {
            RawJson params = update.params();
            return params == null ? update : update.withParams(withMeta(params, NUMBER, RawJson.string(number)));
        }
    }

    /** Returns the update that was kept last, which may have been too large for it, with its number. */
    Numbered numbered(Message update) {
        return new Numbered(update, number());
    }

    /** Returns the number of the last update. */
    String number() {
        return count + "-" + counted;
    }

    /** Returns whether updates between that one and those that are kept are kept no more. */
    boolean hasHoleAfter(String number) {
        return isOfCount(number) && position(number) < counted - updates.size();
    }

    private boolean isOfCount(String number) {
        return number.startsWith(count + "-");
    }

    private long position(String number) {
        try {
            return Long.parseLong(number.substring(count.length() + 1));
        } catch (NumberFormatException e) {
            return counted;
        }
    }

    /** Returns the result that opens the session with the number of the last update. */
    RawJson marked(RawJson result) {
        return withMeta(result, NUMBER, RawJson.string(number()));
    }

    List<Numbered> history() {
        return after(0);
    }

    /** Returns the updates after a number; null if it is of another count. */
    @Nullable
    List<Numbered> missed(String number) {
        return isOfCount(number) ? after(position(number)) : null;
    }

    private List<Numbered> after(long seen) {
        List<Numbered> later = new ArrayList<>();
        long position = counted - updates.size();
        for (Message update : updates) {
            position++;
            if (position > seen) {
                later.add(new Numbered(update, count + "-" + position));
            }
        }
        return later;
    }

    /** Returns the result that opens the session, which says that a part of what was missed is kept no more. */
    static RawJson withHole(RawJson result) {
        return withMeta(result, "acp4j/updatesLost", TRUE);
    }

    /**
     * Returns an object with a member in its {@code _meta}; of another value, such as the result of a load, the member
     * alone.
     */
    private static RawJson withMeta(RawJson value, String name, RawJson member) {
        RawJson object = value.reader().kind() == JsonReader.Kind.OBJECT ? value : RawJson.EMPTY_OBJECT;
        RawJson meta = RawJson.EMPTY_OBJECT;
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals("_meta") && in.kind() == JsonReader.Kind.OBJECT) {
                meta = in.raw();
            } else {
                in.skip();
            }
        }
        return with(object, "_meta", with(meta, name, member));
    }

    private static RawJson with(RawJson object, String name, RawJson value) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(name);
        out.raw(value);
        JsonReader in = object.reader();
        in.beginObject();
        while (in.nextMember()) {
            String other = in.name();
            if (other.equals(name)) {
                in.skip();
            } else {
                out.name(other);
                out.raw(in.raw());
            }
        }
        out.endObject();
        return out.toRawJson();
    }

    void turnBegins() {
        turns++;
    }

    void turnEnds() {
        turns--;
    }

    /** Returns whether a turn runs, or the agent says that it works or waits. */
    boolean isBusy() {
        return turns > 0 || works;
    }

    /** Returns what a prompt says, as updates. */
    List<Message> said(Message prompt) {
        List<Message> said = new ArrayList<>();
        if (members(prompt.params()).get("prompt") instanceof JsonArray blocks) {
            for (JsonValue block : blocks.elements()) {
                said.add(Message.parse("{\"jsonrpc\":\"2.0\",\"method\":\"session/update\",\"params\":{\"sessionId\":"
                        + RawJson.string(prompt.session())
                        + ",\"update\":{\"sessionUpdate\":\"user_message_chunk\",\"content\":" + RawJson.of(block)
                        + "}}}"));
            }
        }
        return said;
    }

    private static Optional<JsonValue> member(Message update, String name) {
        return members(update.params()).get("update") instanceof JsonObject object
                ? Optional.ofNullable(object.members().get(name))
                : Optional.empty();
    }

    /** Returns the kind of an update, without decoding the rest of it; empty when it has none. */
    private static String kind(Message update) {
        RawJson params = update.params();
        if (params == null) {
            return "";
        }
        try {
            JsonReader in = params.reader();
            return find(in, "update", JsonReader.Kind.OBJECT) && find(in, "sessionUpdate", JsonReader.Kind.STRING)
                    ? in.string()
                    : "";
        } catch (JsonException e) {
            return "";
        }
    }

    /** Goes to a member of the object that begins here. */
    private static boolean find(JsonReader in, String name, JsonReader.Kind kind) {
        in.beginObject();
        while (in.nextMember()) {
            if (in.name().equals(name)) {
                return in.kind() == kind;
            }
            in.skip();
        }
        return false;
    }
}
