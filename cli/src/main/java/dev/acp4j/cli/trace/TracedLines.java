package dev.acp4j.cli.trace;

import dev.acp4j.json.RawJson;
import dev.acp4j.trace.Tracer;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/** Splits the bytes of a stream into lines, and turns the lines into events. For use by one thread. */
final class TracedLines {
    private static final int LONGEST_MESSAGE = 8 << 20;
    private static final int LONGEST_STDERR = 64 << 10;

    private final Tracer tracer;
    private final String from;
    private final String to;
    private final boolean isStderr;
    private final int longest;

    /** The kept part of the current line. */
    private final Line line = new Line();

    /** The number of bytes of the line that were not kept. */
    private long cut;

    /** Whether the beginning of the line was not seen. */
    private boolean isTorn;

    /** Bytes whose array can be accessed without a copy. */
    private static final class Line extends ByteArrayOutputStream {
        byte[] array() {
            return buf;
        }

        /** Discards the line, and a large buffer. */
        void clear() {
            reset();
            if (buf.length > 1 << 20) {
                buf = new byte[8192];
            }
        }
    }

    private TracedLines(Tracer tracer, String from, String to, boolean isStderr) {
        this.tracer = tracer;
        this.from = from;
        this.to = to;
        this.isStderr = isStderr;
        this.longest = isStderr ? LONGEST_STDERR : LONGEST_MESSAGE;
    }

    static TracedLines messages(Tracer tracer, String from, String to) {
        return new TracedLines(tracer, from, to, false);
    }

    static TracedLines stderr(Tracer tracer, String from) {
        return new TracedLines(tracer, from, "", true);
    }

    void add(byte[] bytes) {
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                keep(bytes, start, i);
                lineEnds();
                start = i + 1;
            }
        }
        keep(bytes, start, bytes.length);
    }

    /** Handles bytes that were not recorded: their line is lost, including its rest. */
    void lost(long bytes) {
        String text = "acp trace: " + (bytes + line.size() + cut)
                + " bytes were not recorded, they came faster than they could be written";
        line.clear();
        cut = 0;
        isTorn = true;
        if (isStderr) {
            tracer.stderr(from, text);
        } else {
            tracer.noise(from, to, text);
        }
    }

    void end() {
        if (line.size() > 0) {
            lineEnds();
        }
        if (!isStderr) {
            tracer.end(from, to);
        }
    }

    private void keep(byte[] bytes, int start, int end) {
        int kept = isTorn ? 0 : Math.min(end - start, longest - line.size());
        line.write(bytes, start, kept);
        cut += end - start - kept;
    }

    private void lineEnds() {
        if (!isTorn) {
            record();
        }
        line.clear();
        cut = 0;
        isTorn = false;
    }

    private void record() {
        byte[] bytes = line.array();
        int first = startsWithMark(bytes, line.size()) ? 3 : 0;
        int last = line.size();
        while (last > first && isBlank(bytes[last - 1])) {
            last--;
        }
        while (first < last && isBlank(bytes[first])) {
            first++;
        }
        if (isStderr) {
            tracer.stderr(from, new String(bytes, first, last - first, StandardCharsets.UTF_8));
        } else if (cut > 0) {
            tracer.cut(from, to, RawJson.wrap(bytes, first, last), line.size() + cut);
        } else if (first < last) {
            tracer.line(from, to, RawJson.wrap(bytes, first, last));
        }
    }

    /** Removes the byte order mark that some Windows programs write first. */
    private static boolean startsWithMark(byte[] bytes, int length) {
        return length >= 3 && bytes[0] == (byte) 0xef && bytes[1] == (byte) 0xbb && bytes[2] == (byte) 0xbf;
    }

    private static boolean isBlank(byte b) {
        return b == ' ' || b == '\t' || b == '\r';
    }
}
