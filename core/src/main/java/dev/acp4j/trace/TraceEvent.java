package dev.acp4j.trace;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Something that went from one end of a connection to another.
 *
 * @param seconds when, since the trace began, by a clock that never goes back
 * @param type what it is
 * @param from who sent it, for example {@code client}
 * @param to who received it, for example {@code agent}
 * @param id the id of a request or response; null for what has none
 * @param method the method of a request or notification; of a response, that of its request, if that was seen; else
 *     null
 * @param session the session that it names, or null
 * @param body the params, the result or the error, or the text as a JSON string; null when there is none
 */
public record TraceEvent(
        double seconds,
        Type type,
        String from,
        String to,
        @Nullable RawJson id,
        @Nullable String method,
        @Nullable String session,
        @Nullable RawJson body) {
    /** What an event is. */
    public enum Type {
        /** A request. */
        REQUEST("request"),
        /** The result of a request. */
        RESULT("result"),
        /** The error that answers a request. */
        ERROR("error"),
        /** A notification. */
        NOTIFICATION("notification"),
        /** A line that is no message. */
        NOISE("noise"),
        /** A line of standard error. */
        STDERR("stderr"),
        /** The sender has closed its side; its text, if it has one, says why. */
        END("end");

        private final String text;

        Type(String text) {
            this.text = text;
        }

        /** Returns its name in a file. */
        public String text() {
            return text;
        }

        /** Returns true for what is a JSON-RPC message. */
        public boolean isMessage() {
            return compareTo(NOTIFICATION) <= 0;
        }
    }

    /** How events stand in a file, one a line. */
    public static final Codec<TraceEvent> CODEC = new TraceEventCodec();

    /** Checks for null. */
    public TraceEvent {
        Objects.requireNonNull(type, "type is null");
        Objects.requireNonNull(from, "from is null");
        Objects.requireNonNull(to, "to is null");
    }

    /**
     * Returns the message, to be sent again. It has the members that JSON-RPC knows, in their usual order.
     *
     * @throws IllegalStateException when the event is no message
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

    /** Returns the line that stands for the event in a file. */
    @Override
    public String toString() {
        return RawJson.encode(this, CODEC).toString();
    }
}
