package dev.acp4j.trace;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A trace in a file: one JSON object per line, in UTF-8. The first line is a {@link TraceHeader}; each other line is a
 * {@link TraceEvent}. Each event is written to the file at once, so the trace of a killed program is usable. An
 * incomplete last line is ignored when reading.
 */
public final class TraceFile implements TraceSink, Closeable {
    /** The default size limit of a trace: 1 GiB. */
    public static final long STANDARD_BYTES = 1L << 30;

    private final OutputStream out;
    private final long mostBytes;
    private long bytes;

    private TraceFile(OutputStream out, long mostBytes) {
        this.out = out;
        this.mostBytes = mostBytes;
    }

    /**
     * Creates a file, replacing an existing one. Only its owner can read it, if the file system supports permissions.
     *
     * @param file the path of the file
     * @param subject a description of the traced program for people, for example a command; must not contain secrets
     */
    public static TraceFile create(Path file, String subject) throws IOException {
        return create(file, subject, STANDARD_BYTES);
    }

    /**
     * Creates a file with another size limit.
     *
     * @param mostBytes the size limit; later events are not recorded
     */
    public static TraceFile create(Path file, String subject, long mostBytes) throws IOException {
        return create(file, new TraceHeader(Instant.now(), subject), mostBytes);
    }

    /** Creates a file with the default size limit for a trace that began earlier. */
    public static TraceFile create(Path file, TraceHeader header) throws IOException {
        return create(file, header, STANDARD_BYTES);
    }

    private static TraceFile create(Path file, TraceHeader header, long mostBytes) throws IOException {
        TraceFile trace = new TraceFile(PrivateFile.create(file), mostBytes);
        trace.line(RawJson.encode(header, TraceHeader.CODEC));
        return trace;
    }

    @Override
    public void event(TraceEvent event) throws IOException {
        line(RawJson.encode(event, TraceEvent.CODEC));
    }

    private void line(RawJson json) throws IOException {
        bytes += json.length() + 1;
        if (bytes > mostBytes) {
            throw new IOException("the trace has reached its limit of " + mostBytes + " bytes");
        }
        out.write(json.bytes(), json.from(), json.length());
        out.write('\n');
        out.flush();
    }

    @Override
    public void close() throws IOException {
        out.close();
    }

    /**
     * Reads the events of a file.
     *
     * @throws IOException if the file cannot be read or is not a trace; the message names the line
     */
    public static List<TraceEvent> read(Path file) throws IOException {
        List<TraceEvent> events = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            TraceHeader unused = header(file, in.readLine());
            int number = 2;
            String line = in.readLine();
            while (line != null) {
                String next = in.readLine();
                try {
                    events.add(RawJson.parse(line).decode(TraceEvent.CODEC));
                } catch (JsonException e) {
                    if (next == null) {
                        break; // Incomplete: the program was killed while writing.
                    }
                    throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
                }
                line = next;
                number++;
            }
        }
        return List.copyOf(events);
    }

    /**
     * Reads the first line of a file: when the trace began, and its subject.
     *
     * @throws IOException if the file cannot be read or is not a trace
     */
    public static TraceHeader header(Path file) throws IOException {
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            return header(file, in.readLine());
        }
    }

    private static TraceHeader header(Path file, @Nullable String line) throws IOException {
        try {
            return RawJson.parse(line == null ? "" : line).decode(TraceHeader.CODEC);
        } catch (JsonException e) {
            throw new IOException(file + ": not a trace, or a trace of a later version: " + e.getMessage(), e);
        }
    }
}
