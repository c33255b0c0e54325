package dev.acp4j.rpc;

import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * The last few messages of both directions. Looking at them is left to the one who asks; remembering costs two stores.
 */
final class RecentFrames {
    private static final int KEPT = 12;
    private static final int NOISE_KEPT = 20;
    private static final int HEAD_BYTES = 1024;
    private static final Names NO_LANE = Names.of("sessionId");

    /** How many messages went in either direction; it may overflow. */
    private final AtomicInteger count = new AtomicInteger();

    private final Ring received = new Ring(false);
    private final Ring sent = new Ring(true);

    /** Lines that were no messages; replaced as a whole by the reading thread, the only one that adds to them. */
    private volatile List<String> noise = List.of();

    /** Remembers a message. Called by the reading thread. */
    void received(RawJson frame) {
        received.add(frame);
    }

    /** Remembers a message. Called by the writing thread. */
    void sent(RawJson frame) {
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

    MessageWriter watch(MessageWriter writer) {
        return new MessageWriter() {
            @Override
            public void write(RawJson message) throws IOException {
                sent(message);
                writer.write(message);
            }

            @Override
            public void flush() throws IOException {
                writer.flush();
            }

            @Override
            public void close() throws IOException {
                writer.close();
            }
        };
    }

    /** Returns the last messages, the oldest first. */
    List<RecentFrame> list() {
        int end = count.get();
        List<Entry> entries = new ArrayList<>();
        received.addTo(entries);
        sent.addTo(entries);
        // The difference, not the places themselves: the count may have overflowed.
        entries.sort((left, right) -> Integer.compare(left.place - end, right.place - end));
        return entries.subList(Math.max(0, entries.size() - KEPT), entries.size()).stream()
                .map(Entry::describe)
                .toList();
    }

    /** The beginning of a message that is not worth its memory here; it tells the method. */
    private record Large(RawJson head, int bytes) {}

    private record Entry(int place, boolean sent, Object message) {
        RecentFrame describe() {
            boolean large = message instanceof Large;
            RawJson head = large ? ((Large) message).head : (RawJson) message;
            Envelope envelope = Envelope.scan(head, NO_LANE);
            String method = envelope.method.isEmpty() ? null : envelope.method;
            return new RecentFrame(sent, method, envelope.id, large ? ((Large) message).bytes : head.length());
        }
    }

    /** One direction, to which one thread adds. */
    private final class Ring {
        private final boolean ofSent;

        /** A {@link RawJson} or a {@link Large}. */
        private final AtomicReferenceArray<@Nullable Object> messages = new AtomicReferenceArray<>(KEPT);

        private final int[] places = new int[KEPT];
        private int next;

        Ring(boolean ofSent) {
            this.ofSent = ofSent;
        }

        void add(RawJson frame) {
            places[next] = count.getAndIncrement();
            messages.setRelease(next, frame.length() <= HEAD_BYTES ? frame : large(frame));
            next = next + 1 == KEPT ? 0 : next + 1;
        }

        private static Large large(RawJson frame) {
            RawJson head = RawJson.wrap(frame.bytes(), frame.from(), frame.from() + HEAD_BYTES);
            return new Large(head.copy(), frame.length());
        }

        /** Adds what is there. A message that comes meanwhile may stand at the place of the one it replaces. */
        void addTo(List<Entry> entries) {
            for (int i = 0; i < KEPT; i++) {
                Object message = messages.getAcquire(i);
                if (message != null) {
                    entries.add(new Entry(places[i], ofSent, message));
                }
            }
        }
    }
}
