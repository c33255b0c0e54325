package dev.acp4j.trace;

import dev.acp4j.json.Codec;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import org.jspecify.annotations.Nullable;

/**
 * The codec of events. Members: ts, type, protocol (of what is not ACP), from, to, flow, id, method, session, and the
 * body under its name in the protocol.
 */
final class TraceEventCodec implements Codec<TraceEvent> {
    private static final Names MEMBERS = Names.of(
            "ts", "type", "from", "to", "id", "method", "session", "flow", "params", "result", "error", "text", "ends");

    @Override
    public TraceEvent decode(JsonReader in) {
        Reading event = new Reading();
        int start = in.offset();
        in.beginObject();
        int member;
        while ((member = in.member(MEMBERS)) != JsonReader.END) {
            event.read(member, in);
        }
        return event.done(in, start);
    }

    /** The members of an event read so far. */
    private static final class Reading {
        private double seconds;
        private TraceEvent.@Nullable Type type;
        private @Nullable String from;
        private @Nullable String to;
        private @Nullable RawJson id;
        private @Nullable String method;
        private @Nullable String session;
        private long flow;
        private @Nullable RawJson body;

        void read(int member, JsonReader in) {
            switch (member) {
                case 0 -> seconds = in.number();
                case 1 -> type = type(in);
                case 2 -> from = in.string();
                case 3 -> to = in.string();
                case 4 -> id = in.raw();
                case 5 -> method = in.string();
                case 6 -> session = in.string();
                case 7 -> flow = in.int64();
                case JsonReader.UNKNOWN -> in.skip();
                default -> body = in.raw();
            }
        }

        private static TraceEvent.Type type(JsonReader in) {
            int at = in.offset();
            String text = in.string();
            for (TraceEvent.Type type : TraceEvent.Type.values()) {
                if (type.text().equals(text)) {
                    return type;
                }
            }
            throw in.invalid("unknown event type: " + text, at);
        }

        TraceEvent done(JsonReader in, int start) {
            if (type == null) {
                throw in.missing("type", start);
            }
            if (from == null) {
                throw in.missing("from", start);
            }
            return new TraceEvent(seconds, type, from, to == null ? "" : to, id, method, session, body, flow);
        }
    }

    @Override
    public void encode(TraceEvent event, JsonWriter out) {
        out.beginObject();
        out.name("ts");
        // Microseconds: finer digits are noise and make every line longer.
        out.number(Math.round(event.seconds() * 1e6) / 1e6);
        string(out, "type", event.type().text());
        string(out, "protocol", event.isMcp() ? "mcp" : null);
        string(out, "from", event.from());
        string(out, "to", event.to().isEmpty() ? null : event.to());
        if (event.flow() > 0) {
            out.name("flow");
            out.int64(event.flow());
        }
        raw(out, "id", event.id());
        string(out, "method", event.method());
        string(out, "session", event.session());
        raw(out, event.type().body, event.body());
        out.endObject();
    }

    private static void string(JsonWriter out, String name, @Nullable String value) {
        if (value != null) {
            out.name(name);
            out.string(value);
        }
    }

    private static void raw(JsonWriter out, String name, @Nullable RawJson value) {
        if (value != null) {
            out.name(name);
            out.raw(value);
        }
    }
}
