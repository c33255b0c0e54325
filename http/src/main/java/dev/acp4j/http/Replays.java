package dev.acp4j.http;

import dev.acp4j.json.RawJson;
import dev.acp4j.rpc.Message;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The sessions that are being loaded or resumed: where their history goes, and the answers that wait until it was sent.
 * A history goes to the stream of its session if that is open when the request arrives, else to that of the connection.
 * Nothing else changes until the agent shows that it accepts the request, by the first message of the history or by its
 * answer. Guarded by the lock of its connection.
 */
final class Replays {
    /** One or more requests to load or resume a session, which the agent may still refuse. */
    private static final class Replay {
        /** Whether the history comes on the stream of the connection, since nobody reads that of the session. */
        final boolean here;

        /** The number of the last frame before the requests. */
        final long after;

        int requests;

        /** Whether a history is wanted. */
        boolean isHistory;

        /** Whether it has begun, and with it the stream of the session anew. */
        boolean hasBegun;

        Replay(boolean here, long after) {
            this.here = here;
            this.after = after;
        }
    }

    /** An answer that is sent when the stream before it has been sent up to a number. */
    private record Held(OutboundStream behind, long number, Message answer) {}

    private final Streams streams;
    private final boolean durable;
    private final Map<String, Replay> replays = new HashMap<>();
    private final List<Held> held = new ArrayList<>(0);

    Replays(Streams streams, boolean durable) {
        this.streams = streams;
        this.durable = durable;
    }

    /** The client asks to load or resume a session. */
    void begin(Message request, String session) {
        if (session.equals(Streams.OWN)) {
            return;
        }
        OutboundStream stream = streams.of(session);
        boolean open = stream != null && stream.hasReader();
        Replay replay = replays.computeIfAbsent(session, same -> new Replay(!open, streams.lastNumber()));
        replay.requests++;
        replay.isHistory |= Routes.wantsHistory(request);
    }

    /** Returns whether a session is being loaded or resumed. */
    boolean isRunning(String session) {
        return replays.containsKey(session);
    }

    /** Returns whether the history of a session goes to the stream of the connection. */
    boolean isOnOwn(String session) {
        Replay replay = replays.get(session);
        return replay != null && replay.here;
    }

    /**
     * A history begins: what of the session was not sent before comes with it, and what was sent is no longer where a
     * client could go on.
     */
    void restart(String session) {
        Replay replay = replays.get(session);
        if (replay == null || replay.hasBegun || !replay.isHistory || !durable) {
            return;
        }
        replay.hasBegun = true;
        OutboundStream stream = streams.of(session);
        if (stream != null) {
            stream.restart(frame -> frame.number() > replay.after
                    || !Message.parse(frame.json()).method().equals("session/update"));
            streams.count(stream);
        }
    }

    /** One of the requests is answered. */
    void end(String session) {
        Replay replay = replays.get(session);
        if (replay != null && --replay.requests == 0) {
            replays.remove(session);
        }
    }

    /** Keeps an answer until a stream has been sent up to its last frame, or has no reader. */
    void hold(OutboundStream behind, Message answer) {
        held.add(new Held(behind, behind.log.last(), answer));
    }

    boolean isHolding() {
        return !held.isEmpty();
    }

    /** Returns the answers that waited for a stream, if it has been sent so far or nobody reads it. */
    @SuppressWarnings("ReferenceEquality") // Two may be alike.
    List<Message> release(OutboundStream behind) {
        boolean reads = behind.hasReader();
        long sent = behind.log.lastSent();
        List<Message> released = new ArrayList<>();
        held.removeIf(waiting -> {
            boolean goes = waiting.behind == behind && (!reads || waiting.number <= sent);
            if (goes) {
                released.add(waiting.answer);
            }
            return goes;
        });
        return released;
    }

    /** Returns all answers that waited. */
    List<Message> releaseAll() {
        List<Message> released = held.stream().map(Held::answer).toList();
        held.clear();
        return released;
    }

    /** Returns the answer, which names the place in its stream that a client has passed when it has the history. */
    static Message marked(Message answer, OutboundStream behind) {
        return Message.parse(MetaMember.put(
                answer.raw(), Wire.AFTER, RawJson.string(behind.end().toString())));
    }
}
