package dev.acp4j.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
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

    /** Records a message, or what stands in its place. */
    public void message(String from, String to, Message message) {
        if (failure() != null) {
            return; // Nothing is kept any more: do not copy for nothing.
        }
        switch (message.kind()) {
            case OVERSIZED -> cut(from, to, message, "more than " + message.limit() + " bytes");
            case INVALID, INVALID_RESPONSE, NOISE -> noise(from, to, message.toString());
            case REQUEST, NOTIFICATION, RESULT, ERROR -> whole(from, to, message);
        }
    }

    /** Records a line: a message, or noise. */
    public void line(String from, String to, RawJson line) {
        message(from, to, Message.parse(line));
    }

    /**
     * Records a message that is too large to be kept: its id, method and session, as far as they stand in the beginning
     * of it, and how large it was.
     *
     * @param beginning the first bytes of the message
     * @param length the bytes of the whole message
     */
    public void cut(String from, String to, RawJson beginning, long length) {
        byte[] head = beginning.copy().bytes();
        cut(from, to, Message.oversized(head, head.length), length + " bytes");
    }

    private void cut(String from, String to, Message message, String size) {
        if (message.method().isEmpty() && message.id() == null) {
            noise(from, to, message.toString());
            return;
        }
        RawJson body = RawJson.of(JsonObject.of(Map.of("leftOut", JsonString.of(size))));
        lock.lock();
        try {
            if (message.method().isEmpty()) {
                emit(response(message, from, to, body));
            } else {
                emit(call(message, from, to, body));
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

    private void whole(String from, String to, Message message) {
        RawJson params = message.params();
        RawJson result = message.result();
        RawJson error = message.error();
        // Copied, as the slices belong to the connection's buffer.
        RawJson body = error != null
                ? redaction.redactError(error).copy()
                : result != null
                        ? redaction.redact(result).copy()
                        : params == null ? null : redaction.redact(params).copy();
        lock.lock();
        try {
            if (message.kind().isResponse()) {
                emit(response(message, from, to, body));
            } else {
                emit(call(message, from, to, body));
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private TraceEvent call(Message message, String from, String to, @Nullable RawJson params) {
        RawJson id = id(message);
        String session = session(message);
        if (id != null) {
            pending.put(from + " " + id, new Pending(message.method(), session));
        }
        TraceEvent.Type type = id == null ? TraceEvent.Type.NOTIFICATION : TraceEvent.Type.REQUEST;
        return new TraceEvent(seconds(), type, from, to, id, message.method(), session, params);
    }

    @GuardedBy("lock")
    private TraceEvent response(Message message, String from, String to, @Nullable RawJson answer) {
        TraceEvent.Type type = message.isError() ? TraceEvent.Type.ERROR : TraceEvent.Type.RESULT;
        RawJson id = id(message);
        Pending request = pending.remove(to + " " + id);
        String session = request == null || request.session == null ? session(message) : request.session;
        return new TraceEvent(seconds(), type, from, to, id, request == null ? null : request.method, session, answer);
    }

    private static @Nullable RawJson id(Message message) {
        RequestId id = message.id();
        return id == null ? null : id.json();
    }

    private static @Nullable String session(Message message) {
        return message.session().isEmpty() ? null : message.session();
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
