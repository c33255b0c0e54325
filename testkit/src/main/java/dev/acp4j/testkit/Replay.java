package dev.acp4j.testkit;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonReader;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import dev.acp4j.rpc.Transport;
import dev.acp4j.trace.TraceEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Replays one end of a recorded connection against a live peer. Messages of the replayed end are sent again, in the
 * recorded order; messages of the other end are awaited. New ids of the peer, of requests, sessions and terminals,
 * replace the recorded ones.
 *
 * <p>Messages of the peer must be of the recorded kind and method. It may send additional notifications, and omit
 * recorded ones, because the chunks of an answer are not guaranteed. For use by one thread.
 */
public final class Replay {
    private static final Names GIVEN = Names.of("sessionId", "terminalId");

    private final List<TraceEvent> events;
    private final String played;
    private final Transport transport;
    private final Wire wire = new Wire();

    /** Received messages that the recording has not reached yet. */
    private final List<TraceEvent> early = new ArrayList<>();

    /** Maps recorded ids of the peer's requests to the new ones. */
    private final Map<RawJson, RawJson> requests = new HashMap<>();

    /** Maps recorded names given by the peer to the new ones. */
    private final Map<String, String> names = new HashMap<>();

    private Replay(List<TraceEvent> events, String played, Transport end) {
        this.events = List.copyOf(events);
        this.played = played;
        this.transport = wire.watch(end);
    }

    /**
     * Creates a replay.
     *
     * @param events the recording, for example from {@link dev.acp4j.trace.TraceFile#read}
     * @param played the end to replay, by its name in the recording
     * @param end the connection to the peer
     */
    public static Replay of(List<TraceEvent> events, String played, Transport end) {
        return new Replay(events, played, end);
    }

    /** Returns what was sent ({@code -->}) and received ({@code <--}). */
    public Wire wire() {
        return wire;
    }

    /**
     * Replays the recording to its end, or to the first message that does not arrive.
     *
     * @throws AssertionError if the peer deviates from the recording or has closed; the message contains the wire
     * @throws IOException when reading fails
     * @throws InterruptedException when interrupted
     */
    public void run() throws IOException, InterruptedException {
        for (TraceEvent event : events) {
            if (!event.type().isMessage()) {
                continue;
            }
            if (event.from().equals(played)) {
                send(event);
            } else if (event.type() != TraceEvent.Type.NOTIFICATION) {
                expect(event);
            }
        }
    }

    private void send(TraceEvent recorded) {
        RawJson id = recorded.id();
        boolean answer = recorded.type() == TraceEvent.Type.RESULT || recorded.type() == TraceEvent.Type.ERROR;
        RawJson body = recorded.body();
        TraceEvent now = new TraceEvent(
                recorded.seconds(),
                recorded.type(),
                recorded.from(),
                recorded.to(),
                answer && id != null ? requests.getOrDefault(id, id) : id,
                recorded.method(),
                recorded.session(),
                body == null ? null : renamed(body));
        try {
            transport.writer().write(Message.parse(now.message()));
            transport.writer().flush();
        } catch (IOException e) {
            throw new AssertionError(
                    "could not send " + described(recorded) + ": " + e.getMessage() + "\nthe wire:\n" + wire, e);
        }
    }

    private static String described(TraceEvent recorded) {
        return recorded.type().text() + " " + recorded.method();
    }

    private void expect(TraceEvent recorded) throws IOException, InterruptedException {
        TraceEvent now = next(recorded);
        if (recorded.type() == TraceEvent.Type.REQUEST) {
            requests.put(Objects.requireNonNull(recorded.id()), Objects.requireNonNull(now.id()));
        } else if (recorded.body() != null && now.body() != null) {
            learn(recorded.body(), now.body());
        }
    }

    private TraceEvent next(TraceEvent recorded) throws IOException, InterruptedException {
        for (TraceEvent before : early) {
            if (fits(before, recorded)) {
                early.remove(before);
                return before;
            }
        }
        while (true) {
            TraceEvent now = receive(recorded);
            if (fits(now, recorded)) {
                return now;
            }
            if (now.type() != TraceEvent.Type.NOTIFICATION) {
                early.add(now);
            }
        }
    }

    private static boolean fits(TraceEvent now, TraceEvent recorded) {
        if (now.type() != recorded.type()) {
            return false;
        }
        return recorded.type() == TraceEvent.Type.REQUEST
                ? Objects.equals(now.method(), recorded.method())
                : Objects.equals(now.id(), recorded.id());
    }

    private TraceEvent receive(TraceEvent recorded) throws IOException, InterruptedException {
        Message line = transport.reader().read();
        if (line == null) {
            throw new AssertionError("expected " + described(recorded)
                    + ", got the end of the stream; unexpected before: " + early + "\nthe wire:\n" + wire);
        }
        TraceEvent[] event = new TraceEvent[1];
        new dev.acp4j.trace.Tracer(
                        seen -> event[0] = seen, dev.acp4j.redaction.Redaction.NONE, dev.acp4j.rpc.Time.SYSTEM)
                .message("", "", line);
        return event[0];
    }

    // ---- names that the peer gives

    private void learn(RawJson recorded, RawJson now) {
        @Nullable String[] before = given(recorded);
        @Nullable String[] after = given(now);
        for (int i = 0; i < before.length; i++) {
            String name = before[i];
            String other = after[i];
            if (name != null && other != null) {
                names.put(name, other);
            }
        }
    }

    private static @Nullable String[] given(RawJson result) {
        @Nullable String[] given = new @Nullable String[GIVEN.size()];
        JsonReader in = result.reader();
        if (in.kind() != JsonReader.Kind.OBJECT) {
            return given;
        }
        in.beginObject();
        int member;
        while ((member = in.member(GIVEN)) != JsonReader.END) {
            if (member >= 0 && in.kind() == JsonReader.Kind.STRING) {
                given[member] = in.string();
            } else {
                in.skip();
            }
        }
        return given;
    }

    private RawJson renamed(RawJson value) {
        if (names.isEmpty()) {
            return value;
        }
        JsonWriter out = new JsonWriter();
        copy(value.reader(), out);
        return out.toRawJson();
    }

    private void copy(JsonReader in, JsonWriter out) throws JsonException {
        switch (in.kind()) {
            case OBJECT -> {
                in.beginObject();
                out.beginObject();
                while (in.nextMember()) {
                    out.name(in.name());
                    copy(in, out);
                }
                out.endObject();
            }
            case ARRAY -> {
                in.beginArray();
                out.beginArray();
                while (in.nextElement()) {
                    copy(in, out);
                }
                out.endArray();
            }
            case STRING -> {
                String text = in.string();
                out.string(names.getOrDefault(text, text));
            }
            default -> out.raw(in.raw());
        }
    }
}
