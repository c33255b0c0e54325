package dev.acp4j.cli.connect;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The editor at the other end of standard input and output, which can be shown notices beside the conversation if it
 * takes them.
 *
 * <p>The lock guards what is known of the editor, and is held while something is written to it, so that a notice does
 * not come into another message.
 */
final class Editor implements Transport, Transport.Reader, Transport.Writer {
    private final Transport streams;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Set<String> sessions = new LinkedHashSet<>();

    /** Requests for new sessions that have no answer yet. */
    @GuardedBy("lock")
    private final Set<RequestId> opening = new HashSet<>();

    @GuardedBy("lock")
    private boolean takesNotices;

    private volatile boolean hasLeft;

    /** Why nothing more could be written to it; null as long as it could. */
    private volatile @Nullable IOException unwritten;

    Editor(Transport streams) {
        this.streams = streams;
    }

    /** Returns whether the editor has closed its end, of either direction. */
    boolean hasLeft() {
        return hasLeft;
    }

    /** Returns why nothing more could be written to it; null when everything could. */
    @Nullable
    IOException unwritten() {
        return unwritten;
    }

    /** Shows a notice in each open session; does nothing if the editor takes none, or has gone. */
    void notice(String severity, String title) {
        lock.lock();
        try {
            List<String> open = takesNotices ? new ArrayList<>(sessions) : List.of();
            for (String session : open) {
                Map<String, JsonValue> update = new LinkedHashMap<>();
                update.put("sessionUpdate", new JsonString("notice"));
                update.put("severity", new JsonString(severity));
                update.put("title", new JsonString(title));
                Map<String, JsonValue> params = new LinkedHashMap<>();
                params.put("sessionId", new JsonString(session));
                params.put("update", JsonObject.of(update));
                streams.writer().write(Message.notification("session/update", RawJson.of(JsonObject.of(params))));
                streams.writer().flush();
            }
        } catch (IOException e) {
            // Whoever reads or writes next notices it.
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Transport.Reader reader() {
        return this;
    }

    @Override
    public Transport.Writer writer() {
        return this;
    }

    @Override
    public boolean holdsCarrier() {
        return streams.holdsCarrier();
    }

    @Override
    public @Nullable Message read() throws IOException, InterruptedException {
        Message message = streams.reader().read();
        hasLeft |= message == null;
        if (message != null && message.kind() == Message.Kind.REQUEST) {
            note(message);
        }
        return message;
    }

    private void note(Message request) {
        lock.lock();
        try {
            if (request.method().equals("initialize")) {
                takesNotices = takesNotices(request.params());
            } else if (request.method().equals("session/close")
                    || request.method().equals("session/delete")) {
                sessions.remove(request.session());
            } else if (!request.session().isEmpty()) {
                sessions.add(request.session());
            } else if (request.method().equals("session/new")) {
                opening.add(Objects.requireNonNull(request.id()));
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void noteSession(Message answer) {
        RequestId id = answer.id();
        if (id == null || !answer.kind().isResponse() || !opening.remove(id)) {
            return;
        }
        RawJson result = answer.result();
        if (result != null && result.value() instanceof JsonObject opened) {
            opened.text("sessionId").ifPresent(sessions::add);
        }
    }

    /** In version 2 no capability is needed; what a client does not know it ignores. */
    private static boolean takesNotices(@Nullable RawJson params) {
        if (params == null || !(params.value() instanceof JsonObject object)) {
            return false;
        }
        boolean isNewer = object.members().get("protocolVersion") instanceof JsonNumber version
                && !version.toString().equals("1");
        return isNewer
                || (object.members().get("clientCapabilities") instanceof JsonObject capabilities
                        && capabilities.members().get("session") instanceof JsonObject session
                        && session.members().get("notices") instanceof JsonObject);
    }

    @Override
    public boolean isReady() {
        return streams.reader().isReady();
    }

    @Override
    public void write(Message message) throws IOException {
        lock.lock();
        try {
            noteSession(message);
            streams.writer().write(message);
        } catch (IOException e) {
            unwritten = e;
            hasLeft = true;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void flush() throws IOException {
        lock.lock();
        try {
            streams.writer().flush();
        } catch (IOException e) {
            unwritten = e;
            hasLeft = true;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /** Ends both directions. */
    @Override
    public void close() {
        streams.close();
    }
}
