package dev.acp4j.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Makes events of what goes over a connection, without secrets, and gives them to a sink. It never disturbs what it
 * watches: a sink that fails gets nothing more, and what is no message is recorded as noise.
 *
 * <p>The lock guards the requests that wait for an answer and is held while the sink takes an event, so that events are
 * in order.
 */
public final class Tracer {
    /** So many requests without an answer are remembered; of the answers to older ones the method is not known. */
    private static final int PENDING = 10_000;

    private static final int LONGEST_NOISE = 10_000;
    private static final int LONGEST_READ = 2 * LONGEST_NOISE;
    private static final Names MEMBERS = Names.of("id", "method", "params", "result", "error");
    private static final Names SESSION = Names.of("sessionId");

    private record Pending(String method, @Nullable String session) {}

    private final TraceSink sink;
    private final Redaction redaction;
    private final Time time;
    private final long began;
    private final ReentrantLock lock = new ReentrantLock();

    /** By who asked and the id. */
    @GuardedBy("lock")
    private final Map<String, Pending> pending = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pending> eldest) {
            return size() > PENDING;
        }
    };

    /** What takes secrets out of lines that are no messages, by the stream that they come from. */
    @GuardedBy("lock")
    private final Map<String, UnaryOperator<String>> lines = new HashMap<>();

    @GuardedBy("lock")
    private @Nullable IOException failure;

    /**
     * Creates a tracer.
     *
     * @param sink takes the events
     * @param redaction takes the secrets out before
     * @param time the clock; its time now is the trace's zero
     */
    public Tracer(TraceSink sink, Redaction redaction, Time time) {
        this.sink = sink;
        this.redaction = redaction;
        this.time = time;
        this.began = time.nanoTime();
    }

    /** Creates a tracer that takes out secrets. */
    public static Tracer of(TraceSink sink) {
        return new Tracer(sink, Redaction.SECRETS, Time.SYSTEM);
    }

    /**
     * Returns a transport that does what the given one does, and is traced.
     *
     * @param transport what to trace
     * @param here the name of the end that uses the transport
     * @param there the name of the other end
     */
    public Transport watch(Transport transport, String here, String there) {
        return new TracedTransport(this, transport, here, there);
    }

    /** Records a line: a message, or noise. */
    public void line(String from, String to, RawJson line) {
        if (failure() != null) {
            return; // Nothing is kept any more: do not copy for nothing.
        }
        try {
            message(from, to, line);
        } catch (JsonException e) {
            noise(from, to, line.toString());
        }
    }

    /**
     * Records a message that is too large to be kept: its id, method and session, as far as they stand in the beginning
     * of it, and how large it was.
     *
     * @param beginning the first bytes of the message
     * @param length the bytes of the whole message
     */
    public void cut(String from, String to, RawJson beginning, long length) {
        cut(from, to, beginning, length + " bytes");
    }

    void cut(String from, String to, RawJson beginning, String size) {
        Parts parts = new Parts();
        try {
            parts.read(beginning);
        } catch (JsonException e) {
            // That is where it was cut.
        }
        RawJson body = RawJson.of(JsonObject.of(Map.of("leftOut", JsonString.of(size))));
        String method = parts.method;
        if (method == null && parts.id == null) {
            noise(from, to, beginning.toString());
            return;
        }
        lock.lock();
        try {
            if (method == null) {
                emit(response(parts, from, to, body));
            } else {
                emit(call(parts, method, from, to, parts.session(beginning), body));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records a line that is no message. */
    public void noise(String from, String to, String text) {
        text(TraceEvent.Type.NOISE, from, to, text);
    }

    /** Records a line that a process wrote to its standard error. */
    public void stderr(String from, String text) {
        text(TraceEvent.Type.STDERR, from, "", text);
    }

    /** Records that an end has closed its side. */
    public void end(String from, String to) {
        emit(TraceEvent.Type.END, from, to, null);
    }

    /** Records that an end has closed its side, and why, when that is known. */
    public void end(String from, String to, String why) {
        text(TraceEvent.Type.END, from, to, why);
    }

    /** Returns why the sink takes no more events, or null. */
    public @Nullable IOException failure() {
        lock.lock();
        try {
            return failure;
        } finally {
            lock.unlock();
        }
    }

    private void text(TraceEvent.Type type, String from, String to, String text) {
        lock.lock();
        try {
            UnaryOperator<String> redacted = lines.get(from + type);
            if (redacted == null) {
                redacted = redaction.lines();
                lines.put(from + type, redacted);
            }
            // Cut when the secrets are out, as half of one is none.
            String shown = redacted.apply(text.length() <= LONGEST_READ ? text : text.substring(0, LONGEST_READ));
            emit(
                    type,
                    from,
                    to,
                    RawJson.string(shown.length() <= LONGEST_NOISE ? shown : shown.substring(0, LONGEST_NOISE) + "…"));
        } finally {
            lock.unlock();
        }
    }

    private void emit(TraceEvent.Type type, String from, String to, @Nullable RawJson body) {
        lock.lock();
        try {
            emit(new TraceEvent(seconds(), type, from, to, null, null, null, body));
        } finally {
            lock.unlock();
        }
    }

    /** What stands in a message. */
    private static final class Parts {
        private @Nullable RawJson id;
        private @Nullable String method;
        private @Nullable RawJson params;
        private @Nullable RawJson result;
        private @Nullable RawJson error;

        /** Where the params begin. */
        private int paramsAt = -1;

        /** Whether there is an error, be it a whole one. */
        private boolean isError;

        void read(RawJson line) {
            JsonReader in = line.reader();
            in.beginObject();
            int member;
            while ((member = in.member(MEMBERS)) != JsonReader.END) {
                switch (member) {
                    case 0 -> id = in.raw();
                    case 1 -> method = in.string();
                    case 2 -> {
                        paramsAt = in.offset();
                        params = in.raw();
                    }
                    case 3 -> result = in.raw();
                    case 4 -> {
                        isError = true;
                        error = in.raw();
                    }
                    default -> in.skip();
                }
            }
            in.end();
        }

        /** Returns the session that the params name, be they incomplete. */
        @Nullable
        String session(RawJson line) {
            try {
                return paramsAt < 0 ? null : Tracer.session(RawJson.wrap(line.bytes(), paramsAt, line.to()));
            } catch (JsonException e) {
                return null;
            }
        }
    }

    private void message(String from, String to, RawJson line) {
        Parts parts = new Parts();
        parts.read(line);
        if (parts.method == null && (parts.id == null || (parts.result == null && parts.error == null))) {
            noise(from, to, line.toString());
            return;
        }
        // Copied, as the slices belong to the connection's buffer.
        RawJson params =
                parts.params == null ? null : redaction.redact(parts.params).copy();
        RawJson result =
                parts.result == null ? null : redaction.redact(parts.result).copy();
        RawJson answer = parts.error == null
                ? result
                : redaction.redactError(parts.error).copy();
        lock.lock();
        try {
            emit(
                    parts.method == null
                            ? response(parts, from, to, answer)
                            : call(parts, parts.method, from, to, params == null ? null : session(params), params));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private TraceEvent call(
            Parts parts, String method, String from, String to, @Nullable String session, @Nullable RawJson params) {
        RawJson id = parts.id;
        if (id != null) {
            pending.put(from + " " + id, new Pending(method, session));
        }
        TraceEvent.Type type = id == null ? TraceEvent.Type.NOTIFICATION : TraceEvent.Type.REQUEST;
        return new TraceEvent(seconds(), type, from, to, id == null ? null : id.copy(), method, session, params);
    }

    @GuardedBy("lock")
    private TraceEvent response(Parts parts, String from, String to, @Nullable RawJson answer) {
        RawJson id = parts.id;
        Pending request = pending.remove(to + " " + id);
        String session = request == null ? null : request.session;
        if (session == null && answer != null) {
            session = session(answer);
        }
        TraceEvent.Type type = parts.isError ? TraceEvent.Type.ERROR : TraceEvent.Type.RESULT;
        return new TraceEvent(
                seconds(),
                type,
                from,
                to,
                id == null ? null : id.copy(),
                request == null ? null : request.method,
                session,
                answer);
    }

    private static @Nullable String session(RawJson value) {
        JsonReader in = value.reader();
        if (in.kind() != JsonReader.Kind.OBJECT) {
            return null;
        }
        in.beginObject();
        int member;
        while ((member = in.member(SESSION)) != JsonReader.END) {
            if (member == 0 && in.kind() == JsonReader.Kind.STRING) {
                return in.string();
            }
            in.skip();
        }
        return null;
    }

    private double seconds() {
        return (time.nanoTime() - began) / 1e9;
    }

    @GuardedBy("lock")
    private void emit(TraceEvent event) {
        if (failure != null) {
            return;
        }
        try {
            sink.event(event);
        } catch (IOException e) {
            failure = e;
        } catch (RuntimeException e) {
            failure = new IOException(e);
        }
    }
}
