package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.schema.SessionId;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What was said in one session, in a file of lines: one that names the session and its folder, those of the params of
 * {@code session/update}, and {@code {"turn":…}}, {@code {"end":…}} and {@code {"missing":…}}. Of MCP servers, system
 * prompts and settings nothing is kept. The file is created with the first turn.
 *
 * <p>The lock guards what is known of the session, and is held while lines are written, before that of the file. Both
 * directions use it.
 */
final class SessionRecording {
    /** States of now, which the agent says itself when the session is opened again. */
    private static final Set<String> NOT_OF_THE_CONVERSATION =
            Set.of("available_commands_update", "current_mode_update", "config_option_update");

    private static final Set<String> ENDED = Set.of("completed", "failed", "cancelled");
    private static final String CHUNK = "user_message_chunk";

    /** How much of a file is read for the list: the first message of the user is among the first lines. */
    private static final int HEAD_BYTES = 64 * 1024;

    private final SessionId session;
    private final JsonLines file;
    private final Consumer<String> onNotice;
    private final ReentrantLock lock = new ReentrantLock();

    /** What precedes the first turn. */
    @GuardedBy("lock")
    private final List<RawJson> waiting = new ArrayList<>();

    /** Tool calls that have not ended. */
    @GuardedBy("lock")
    private final Map<String, RawJson> openCalls = new TreeMap<>();

    @GuardedBy("lock")
    private boolean isInTurn;

    /** What the user has said in this turn, which some agents repeat. */
    @GuardedBy("lock")
    private String asked = "";

    /** What could not be written since the last line. */
    @GuardedBy("lock")
    private boolean hasFailed;

    @GuardedBy("lock")
    private boolean isShort;

    /** The line that names the session. */
    @GuardedBy("lock")
    private RawJson first = RawJson.EMPTY_OBJECT;

    @GuardedBy("lock")
    private @Nullable String title;

    private SessionRecording(SessionId session, JsonLines file, Consumer<String> onNotice) {
        this.session = session;
        this.file = file;
        this.onNotice = onNotice;
    }

    /**
     * Begins a record.
     *
     * @param first the line that names the session
     */
    static SessionRecording begin(SessionId session, JsonLines file, RawJson first, Consumer<String> onNotice) {
        SessionRecording begun = new SessionRecording(session, file, onNotice);
        begun.lock.lock();
        try {
            begun.first = first;
            begun.add(first);
        } finally {
            begun.lock.unlock();
        }
        return begun;
    }

    /** Returns what the first lines of a file say, which is not open here. */
    static SessionRecording head(Path file) throws IOException {
        SessionRecording head = new SessionRecording(SessionId.of(file.toString()), JsonLines.create(file), said -> {});
        JsonLines.head(file, HEAD_BYTES, line -> {
            head.read(line);
            return true;
        });
        return head;
    }

    /** Goes on with a record. A turn that has no end, because the process was killed in it, ends here. */
    static SessionRecording resume(SessionId session, JsonLines file, Consumer<String> onNotice) throws IOException {
        SessionRecording found = new SessionRecording(session, file, onNotice);
        file.read(line -> {
            found.read(line);
            return true;
        });
        found.endLastTurn();
        return found;
    }

    private void endLastTurn() {
        lock.lock();
        try {
            if (isInTurn) {
                for (RawJson failed : openCalls.values()) {
                    add(failed);
                }
                openCalls.clear();
                missing("the end of a turn");
                end("unknown");
            }
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of a line of the file. */
    private void read(byte[] bytes) {
        lock.lock();
        try {
            RawJson line = RawJson.parse(bytes);
            if (Members.get(line, "update") != null) {
                said(line);
            } else if (Members.get(line, "turn") != null) {
                isInTurn = true;
            } else if (Members.get(line, "end") != null) {
                isInTurn = false;
            } else if (Members.get(line, "missing") != null) {
                isShort = true;
            } else if (Members.get(line, "session") != null) {
                first = line;
            }
        } catch (JsonException e) {
            isShort = true;
        } finally {
            lock.unlock();
        }
    }

    /** Takes note of an update. */
    @GuardedBy("lock")
    private void said(RawJson params) {
        RawJson update = Members.get(params, "update");
        String kind = update == null ? null : Members.text(update, "sessionUpdate");
        if (update == null || kind == null) {
            return;
        }
        switch (kind) {
            case "tool_call", "tool_call_update" -> {
                String call = Members.text(update, "toolCallId");
                String status = Members.text(update, "status");
                if (call != null && status != null && ENDED.contains(status)) {
                    openCalls.remove(call);
                } else if (call != null) {
                    openCalls.put(call, failed(call));
                }
            }
            case "session_info_update" -> {
                String said = Members.text(update, "title");
                title = said == null ? title : said;
            }
            case CHUNK -> {
                RawJson content = Members.get(update, "content");
                String text = content == null ? null : Members.text(content, "text");
                title = title == null && text != null && !text.isBlank() ? firstLine(text) : title;
            }
            default -> {}
        }
    }

    /** Returns the update by which a tool call ends whose end was not seen. */
    private RawJson failed(String call) {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("sessionId");
        out.string(session.value());
        out.name("update");
        out.beginObject();
        out.name("sessionUpdate");
        out.string("tool_call_update");
        out.name("toolCallId");
        out.string(call);
        out.name("status");
        out.string("failed");
        out.endObject();
        out.endObject();
        return out.toRawJson();
    }

    private static String firstLine(String text) {
        String line = text.strip().lines().findFirst().orElse("").replaceAll("\\p{Cntrl}", " ");
        return line.length() <= 100 ? line : line.substring(0, line.offsetByCodePoints(0, 80)) + "…";
    }

    private static RawJson line(String name, String value) {
        return Members.with(RawJson.EMPTY_OBJECT, name, RawJson.string(value));
    }

    // ---- what is said

    /** The record does not have what was said before. */
    void missing(String what) {
        lock.lock();
        try {
            isShort = true;
            add(line("missing", what));
        } finally {
            lock.unlock();
        }
    }

    /** The user says something: a turn begins. */
    void prompt(RawJson params) {
        lock.lock();
        try {
            isInTurn = true;
            StringBuilder text = new StringBuilder();
            add(line("turn", "user"));
            RawJson blocks = Members.get(params, "prompt");
            if (blocks == null || blocks.reader().kind() != JsonReader.Kind.ARRAY) {
                return;
            }
            JsonReader in = blocks.reader();
            in.beginArray();
            while (in.nextElement()) {
                RawJson block = in.raw();
                RawJson update = Members.with(line("sessionUpdate", CHUNK), "content", block);
                RawJson said = Members.with(line("sessionId", session.value()), "update", update);
                String words = Members.text(block, "text");
                text.append(words == null ? "" : words);
                said(said);
                add(said);
            }
            asked = text.toString();
        } finally {
            lock.unlock();
        }
    }

    /** The agent says something. */
    void update(RawJson params) {
        RawJson update = Members.get(params, "update");
        String kind = update == null ? null : Members.text(update, "sessionUpdate");
        if (update == null || (kind != null && NOT_OF_THE_CONVERSATION.contains(kind))) {
            return;
        }
        lock.lock();
        try {
            RawJson content = Members.get(update, "content");
            String text = content == null ? null : Members.text(content, "text");
            if (isInTurn && CHUNK.equals(kind) && text != null && asked.contains(text)) {
                // The agent repeats what the user has said, which is there.
                return;
            }
            said(params);
            add(params);
        } finally {
            lock.unlock();
        }
    }

    /** The turn has ended. */
    void end(String reason) {
        lock.lock();
        try {
            if (isInTurn) {
                isInTurn = false;
                asked = "";
                add(line("end", reason));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Writes a line, or keeps it until the first turn. A failure does not end the session. */
    private void add(RawJson line) {
        lock.lock();
        try {
            if (!file.isOpen() && !isInTurn) {
                waiting.add(line.copy());
                return;
            }
            List<RawJson> lines = new ArrayList<>(waiting);
            if (hasFailed) {
                lines.add(line("missing", "what could not be written"));
            }
            lines.add(line);
            file.append(lines);
            waiting.clear();
            hasFailed = false;
        } catch (IOException e) {
            isShort = true;
            if (!hasFailed) {
                hasFailed = true;
                onNotice.accept("The record of the session " + session
                        + " cannot be written, so a part of it will be missing: " + e.getMessage());
            }
        } finally {
            lock.unlock();
        }
    }

    // ---- what was said

    /** What takes the params of updates. */
    @FunctionalInterface
    interface Replay {
        void update(RawJson params) throws InterruptedException;
    }

    /** Gives the params of all updates, as they came. */
    void replay(Replay to) throws IOException, InterruptedException {
        InterruptedException[] interrupted = {null};
        file.read(bytes -> {
            try {
                RawJson line = RawJson.parse(bytes);
                if (Members.get(line, "update") != null) {
                    to.update(line);
                }
            } catch (JsonException e) {
                // Known to be missing since it was opened.
            } catch (InterruptedException e) {
                interrupted[0] = e;
            }
            return interrupted[0] == null;
        });
        if (interrupted[0] != null) {
            throw interrupted[0];
        }
    }

    /** Returns whether there is a file of the session. */
    boolean isKept() {
        return file.isOpen();
    }

    /** Returns whether the session has more than the record. */
    boolean isShort() {
        lock.lock();
        try {
            return isShort;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the title; null if it has none yet. */
    @Nullable
    String title() {
        lock.lock();
        try {
            return title;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the line that names the session; without members if there is none. */
    RawJson first() {
        lock.lock();
        try {
            return first;
        } finally {
            lock.unlock();
        }
    }

    SessionId session() {
        return session;
    }

    void close() {
        file.close();
    }

    void delete() throws IOException {
        file.delete();
    }
}
