package dev.acp4j.trace;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import dev.acp4j.redaction.Redaction;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.RequestId;
import dev.acp4j.rpc.Time;
import dev.acp4j.rpc.Transport;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Records the messages of a connection as events without secrets and passes them to a sink. It never disturbs the
 * connection: a sink that fails receives no more events, and input that is not a message is recorded as noise.
 *
 * <p>The lock guards the requests without a response and is held while the sink is called, so that events are ordered.
 */
public final class Tracer {
    /**
     * Maximum number of requests without a response that are remembered. Responses to older ones are recorded without a
     * method.
     */
    private static final int PENDING = 10_000;

    private static final int LONGEST_NOISE = 10_000;
    private static final int LONGEST_READ = 2 * LONGEST_NOISE;

    private record Pending(String method, @Nullable String session) {}

    private final TraceSink sink;
    private final Redaction redaction;
    private final Time time;
    private final long began;
    private final ReentrantLock lock = new ReentrantLock();

    /** Keyed by sender, receiver and id. */
    @GuardedBy("lock")
    private final Map<String, Pending> pending = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Pending> eldest) {
            return size() > PENDING;
        }
    };

    /** Hides secrets in lines that are not messages, one for each stream. */
    @GuardedBy("lock")
    private final Map<String, UnaryOperator<String>> lines = new HashMap<>();

    @GuardedBy("lock")
    private @Nullable IOException failure;

    /**
     * Creates a tracer.
     *
     * @param sink receives the events
     * @param redaction hides the secrets first
     * @param time the clock; its current time is the beginning of the trace
     */
    public Tracer(TraceSink sink, Redaction redaction, Time time) {
        this.sink = sink;
        this.redaction = redaction;
        this.time = time;
        this.began = time.nanoTime();
    }

    /** Creates a tracer that hides secrets. */
    public static Tracer of(TraceSink sink) {
        return new Tracer(sink, Redaction.SECRETS, Time.SYSTEM);
    }

    /**
     * Returns a transport that delegates to the given one and records its messages.
     *
     * @param transport the transport to trace
     * @param here the name of the end that uses the transport
     * @param there the name of the other end
     */
    public Transport watch(Transport transport, String here, String there) {
        return new TracedTransport(this, transport, here, there);
    }

    /** Records a message, or noise in place of one. */
    public void message(String from, String to, Message message) {
        message(from, to, message, 0);
    }

    /**
     * Records one hop of a message in a chain.
     *
     * @param flow the number that its hops have in common; 0 for none
     */
    public void message(String from, String to, Message message, long flow) {
        if (failure() != null) {
            return; // The sink has failed: do not copy unnecessarily.
        }
        switch (message.kind()) {
            case OVERSIZED -> cut(from, to, message, "more than " + message.limit() + " bytes", flow);
            case INVALID, INVALID_RESPONSE, NOISE ->
                noise(from, to, message.raw().toString());
            case REQUEST, NOTIFICATION, RESULT, ERROR -> whole(from, to, message, flow);
        }
    }

    /** Records a line: a message, or noise. */
    public void line(String from, String to, RawJson line) {
        message(from, to, Message.parse(line));
    }

    /**
     * Records a message that is too large to be stored: its size, and its id, method and session if the first bytes
     * contain them.
     *
     * @param beginning the first bytes of the message
     * @param length the size of the whole message in bytes
     */
    public void cut(String from, String to, RawJson beginning, long length) {
        byte[] head = beginning.copy().bytes();
        cut(from, to, Message.oversized(head, head.length), length + " bytes", 0);
    }

    private void cut(String from, String to, Message message, String size, long flow) {
        if (message.method().isEmpty() && message.id() == null) {
            noise(from, to, message.raw().toString());
            return;
        }
        RawJson body = RawJson.of(JsonObject.of(Map.of("leftOut", JsonString.of(size))));
        lock.lock();
        try {
            if (message.method().isEmpty()) {
                emit(response(message, from, to, body, flow));
            } else {
                emit(call(message, from, to, body, flow));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Records a line that is not a message. */
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

    /** Records that an end has closed its side, and the reason if it is known. */
    public void end(String from, String to, String why) {
        text(TraceEvent.Type.END, from, to, why);
    }

    /** Records the ends of a chain, from the client to the agent: the order in which they are shown. */
    public void chain(List<String> ends) {
        JsonWriter names = new JsonWriter();
        names.beginArray();
        ends.forEach(names::string);
        names.endArray();
        emit(TraceEvent.Type.CHAIN, "conductor", "", names.toRawJson());
    }

    /** Returns why the sink receives no more events, or null. */
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
            // Shorten after redaction: half of a secret would not be recognized.
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

    private void whole(String from, String to, Message message, long flow) {
        RawJson params = message.params();
        RawJson result = message.result();
        RawJson error = message.error();
        // Copied, because the slices belong to the connection's buffer.
        RawJson body = error != null
                ? redaction.redactError(error).copy()
                : result != null
                        ? redaction.redact(result).copy()
                        : params == null ? null : redaction.redact(params).copy();
        lock.lock();
        try {
            if (message.kind().isResponse()) {
                emit(response(message, from, to, body, flow));
            } else {
                emit(call(message, from, to, body, flow));
            }
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private TraceEvent call(Message message, String from, String to, @Nullable RawJson params, long flow) {
        RawJson id = id(message);
        String session = session(message);
        if (id != null) {
            pending.put(from + " " + to + " " + id, new Pending(message.method(), session));
        }
        TraceEvent.Type type = id == null ? TraceEvent.Type.NOTIFICATION : TraceEvent.Type.REQUEST;
        return new TraceEvent(seconds(), type, from, to, id, message.method(), session, params, flow);
    }

    @GuardedBy("lock")
    private TraceEvent response(Message message, String from, String to, @Nullable RawJson answer, long flow) {
        TraceEvent.Type type = message.isError() ? TraceEvent.Type.ERROR : TraceEvent.Type.RESULT;
        RawJson id = id(message);
        Pending request = pending.remove(to + " " + from + " " + id);
        String session = request == null || request.session == null ? session(message) : request.session;
        String method = request == null ? null : request.method;
        return new TraceEvent(seconds(), type, from, to, id, method, session, answer, flow);
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
