package dev.acp4j.trace;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A recorded event: a message or a line that one end of a connection sent to another, or its end. In a trace of a chain
 * a message is an event for each hop.
 *
 * @param seconds the time since the trace began, by a monotonic clock
 * @param type the kind of event
 * @param from the sender, for example {@code client}
 * @param to the receiver, for example {@code agent}
 * @param id the id of a request or response; null if there is none
 * @param method the method of a request or notification; for a response, the method of its request, if the request was
 *     recorded; else null
 * @param session the session named in the message, or null
 * @param body the params, the result or the error, or the text as a JSON string; null if there is none
 * @param flow in the trace of a chain, the number that the hops of one message have in common, and those of its answer;
 *     0 if there is none
 */
public record TraceEvent(
        double seconds,
        Type type,
        String from,
        String to,
        @Nullable RawJson id,
        @Nullable String method,
        @Nullable String session,
        @Nullable RawJson body,
        long flow) {
    /** The kinds of events. */
    public enum Type {
        /** A request. */
        REQUEST("request", "params"),
        /** The result of a request. */
        RESULT("result", "result"),
        /** The error that answers a request. */
        ERROR("error", "error"),
        /** A notification. */
        NOTIFICATION("notification", "params"),
        /** A line that is not a message. */
        NOISE("noise", "text"),
        /** A line of standard error. */
        STDERR("stderr", "text"),
        /** The sender has closed its side; the text, if any, gives the reason. */
        END("end", "text"),
        /**
         * The ends of a chain from the client to the agent, as a list of names: at its beginning, and when it changes.
         */
        CHAIN("chain", "ends");

        private final String text;

        /** The name of the member that has the body. */
        final String body;

        Type(String text, String body) {
            this.text = text;
            this.body = body;
        }

        /** Returns the name used in a file. */
        public String text() {
            return text;
        }

        /** Returns whether this is a JSON-RPC message. */
        public boolean isMessage() {
            return compareTo(NOTIFICATION) <= 0;
        }
    }

    /** Encodes events for a file, one per line. */
    public static final Codec<TraceEvent> CODEC = new TraceEventCodec();

    /** Checks for null. */
    public TraceEvent {
        Objects.requireNonNull(type, "type is null");
        Objects.requireNonNull(from, "from is null");
        Objects.requireNonNull(to, "to is null");
    }

    /** Creates an event that is no hop in a chain. */
    public TraceEvent(
            double seconds,
            Type type,
            String from,
            String to,
            @Nullable RawJson id,
            @Nullable String method,
            @Nullable String session,
            @Nullable RawJson body) {
        this(seconds, type, from, to, id, method, session, body, 0);
    }

    /** Returns whether the message carries one of MCP. */
    public boolean isMcp() {
        return "mcp/message".equals(method);
    }

    /**
     * Returns the message, so that it can be sent again. It has the members of JSON-RPC, in their usual order.
     *
     * @throws IllegalStateException if the event is not a message
     */
    public RawJson message() {
        if (!type.isMessage()) {
            throw new IllegalStateException("not a message: " + type.text());
        }
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name("jsonrpc");
        out.string("2.0");
        write(out, "id", id);
        switch (type) {
            case RESULT, ERROR -> write(out, type.text(), body == null ? RawJson.NULL : body);
            default -> {
                out.name("method");
                out.string(method == null ? "" : method);
                write(out, "params", body);
            }
        }
        out.endObject();
        return out.toRawJson();
    }

    private static void write(JsonWriter out, String name, @Nullable RawJson value) {
        if (value != null) {
            out.name(name);
            out.raw(value);
        }
    }

    /** Returns the line for this event in a file. */
    @Override
    public String toString() {
        return RawJson.encode(this, CODEC).toString();
    }
}
