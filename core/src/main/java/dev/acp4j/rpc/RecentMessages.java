package dev.acp4j.rpc;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The last few messages of both directions. They are parsed only when a report needs them. */
final class RecentMessages {
    private static final int KEPT = 12;
    private static final int NOISE_KEPT = 20;

    /** Larger messages are not kept, only what their envelopes say. */
    private static final int HELD_BYTES = 1024;

    /** How many messages went in either direction; it may overflow. */
    private final AtomicInteger count = new AtomicInteger();

    private final Ring received = new Ring(false);
    private final Ring sent = new Ring(true);

    /**
     * Lines that were no messages; replaced as a whole by the thread that receives messages, the only one that adds to
     * them.
     */
    private volatile List<String> noise = List.of();

    /** Remembers a message. Called by the reading thread. */
    void received(Message frame) {
        received.add(frame);
    }

    /** Remembers a message. Called by the writing thread. */
    void sent(Message frame) {
        sent.add(frame);
    }

    /** Remembers a line that was no message. Called by the reading thread. */
    void noise(String line) {
        List<String> lines = new ArrayList<>(noise);
        lines.add(line);
        noise = List.copyOf(lines.subList(Math.max(0, lines.size() - NOISE_KEPT), lines.size()));
    }

    List<String> noise() {
        return noise;
    }

    /** Returns the last messages, the oldest first. */
    List<Message.Summary> list() {
        NavigableMap<Integer, Message.Summary> frames = new TreeMap<>();
        int end = count.get();
        received.addTo(frames, end);
        sent.addTo(frames, end);
        List<Message.Summary> all = List.copyOf(frames.values());
        return all.subList(Math.max(0, all.size() - KEPT), all.size());
    }

    /** One direction, to which one thread adds. */
    private final class Ring {
        private final boolean ofSent;

        /** Messages as they are, and a {@link Message.Summary} for each that is too large to be held. */
        private final AtomicReferenceArray<@Nullable Object> messages = new AtomicReferenceArray<>(KEPT);

        private final int[] places = new int[KEPT];
        private int next;

        Ring(boolean ofSent) {
            this.ofSent = ofSent;
        }

        void add(Message frame) {
            places[next] = count.getAndIncrement();
            // By its array, which may be larger than the message.
            messages.setRelease(next, frame.raw().bytes().length <= HELD_BYTES ? frame : describe(frame));
            next = next + 1 == KEPT ? 0 : next + 1;
        }

        /**
         * Adds what is there under its place, as seen from the end: the count may have overflowed. A message that comes
         * meanwhile may stand at the place of the one it replaces.
         */
        void addTo(NavigableMap<Integer, Message.Summary> frames, int end) {
            for (int i = 0; i < KEPT; i++) {
                Object message = messages.getAcquire(i);
                if (message instanceof Message frame) {
                    frames.put(places[i] - end, describe(frame));
                } else if (message instanceof Message.Summary large) {
                    frames.put(places[i] - end, large);
                }
            }
        }

        private Message.Summary describe(Message message) {
            String method = message.method().isEmpty() ? null : message.method();
            return new Message.Summary(ofSent, method, message.id(), message.length());
        }
    }
}
