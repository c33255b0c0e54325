package dev.acp4j.rpc;

import dev.acp4j.json.Names;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/** The last few messages of both directions. Looking at them is left to the one who asks; remembering costs a store. */
final class RecentFrames {
    private static final int KEPT = 12;
    private static final int NOISE_KEPT = 20;
    private static final int HEAD_BYTES = 1024;
    private static final Names NO_LANE = Names.of("sessionId");

    private record Entry(boolean sent, RawJson head, int bytes) {}

    private final AtomicReferenceArray<@Nullable Entry> ring = new AtomicReferenceArray<>(KEPT);
    private final AtomicInteger next = new AtomicInteger();

    /** Lines that were no messages; replaced as a whole by the reading thread, the only one that adds to them. */
    private volatile List<String> noise = List.of();

    void received(RawJson frame) {
        add(false, frame);
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

    private void add(boolean sent, RawJson frame) {
        // A large message is not worth its memory here: its beginning tells the method.
        RawJson head = frame.length() <= HEAD_BYTES
                ? frame
                : RawJson.wrap(frame.bytes(), frame.from(), frame.from() + HEAD_BYTES)
                        .copy();
        ring.set(Math.floorMod(next.getAndIncrement(), KEPT), new Entry(sent, head, frame.length()));
    }

    MessageWriter watch(MessageWriter writer) {
        return new MessageWriter() {
            @Override
            public void write(RawJson message) throws IOException {
                add(true, message);
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

    List<RecentFrame> list() {
        List<RecentFrame> frames = new ArrayList<>();
        int end = next.get();
        for (int i = Math.max(0, end - KEPT); i < end; i++) {
            Entry entry = ring.get(Math.floorMod(i, KEPT));
            if (entry != null) {
                frames.add(describe(entry));
            }
        }
        return frames;
    }

    private static RecentFrame describe(Entry entry) {
        Envelope envelope = Envelope.scan(entry.head, NO_LANE);
        String method = envelope.method.isEmpty() ? null : envelope.method;
        return new RecentFrame(entry.sent, method, envelope.id, entry.bytes);
    }
}
