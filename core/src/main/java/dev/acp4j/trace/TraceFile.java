package dev.acp4j.trace;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A trace in a file: one JSON object a line, in UTF-8. The first line tells the version of the format, when the trace
 * began, and perhaps what was traced; each other line is a {@link TraceEvent}. Each event is in the file as soon as it
 * was taken, so a trace is of use even if its program was killed; a torn last line is left out when reading.
 */
public final class TraceFile implements TraceSink, Closeable {
    /** A trace ends when it has this size unless said otherwise: 1 GiB. */
    public static final long STANDARD_BYTES = 1L << 30;

    private static final int VERSION = 1;

    private final BufferedWriter out;
    private final long mostBytes;
    private long bytes;

    private TraceFile(BufferedWriter out, long mostBytes) {
        this.out = out;
        this.mostBytes = mostBytes;
    }

    /**
     * Begins a file, in place of one that is there. It can be read by its owner only, where the file system knows that.
     *
     * @param file where
     * @param subject what is traced, for people, for example a command; without secrets
     */
    public static TraceFile create(Path file, String subject) throws IOException {
        return create(file, subject, STANDARD_BYTES);
    }

    /**
     * Begins a file with another size.
     *
     * @param mostBytes the size at which nothing more is taken
     */
    public static TraceFile create(Path file, String subject, long mostBytes) throws IOException {
        TraceFile trace = new TraceFile(PrivateFile.create(file), mostBytes);
        JsonWriter header = new JsonWriter();
        header.beginObject();
        header.name("trace");
        header.int64(VERSION);
        header.name("began");
        header.string(Instant.now().toString());
        header.name("subject");
        header.string(subject);
        header.endObject();
        trace.line(header.toRawJson());
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
        out.write(json.toString());
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
     * @throws IOException when it cannot be read or is no trace; it says in which line
     */
    public static List<TraceEvent> read(Path file) throws IOException {
        List<TraceEvent> events = new ArrayList<>();
        try (BufferedReader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            checkHeader(file, in.readLine());
            int number = 2;
            String line = in.readLine();
            while (line != null) {
                String next = in.readLine();
                try {
                    events.add(RawJson.parse(line).decode(TraceEvent.CODEC));
                } catch (JsonException e) {
                    if (next == null) {
                        break; // Torn: the program was killed while it wrote.
                    }
                    throw new IOException(file + ", line " + number + ": " + e.getMessage(), e);
                }
                line = next;
                number++;
            }
        }
        return List.copyOf(events);
    }

    private static void checkHeader(Path file, @Nullable String line) throws IOException {
        boolean known = false;
        if (line != null) {
            try {
                known = RawJson.parse(line).value() instanceof dev.acp4j.json.JsonObject header
                        && header.get("trace")
                                .filter(value ->
                                        value.equals(RawJson.number(VERSION).value()))
                                .isPresent();
            } catch (JsonException e) {
                known = false;
            }
        }
        if (!known) {
            throw new IOException(file + ": not a trace, or of a later version: expected {\"trace\":" + VERSION
                    + ",…} in the first line");
        }
    }
}
