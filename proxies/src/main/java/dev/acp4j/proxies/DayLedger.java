package dev.acp4j.proxies;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What all sessions of a day have used, in a file of lines to which several programs append. What was read is not read
 * again. Thread-safe.
 */
final class DayLedger {
    private final Path folder;
    private final Clock clock;

    /** Guards what is known, and the file, so that nothing is counted twice. */
    private final ReentrantLock lock = new ReentrantLock();

    /** What is not in the file yet. */
    @GuardedBy("lock")
    private final Map<String, Double> unwritten = new TreeMap<>();

    /** The file that was read, as far as {@link #end}. */
    @GuardedBy("lock")
    private Path read = Path.of("");

    @GuardedBy("lock")
    private long end;

    @GuardedBy("lock")
    private final Map<String, Double> used = new TreeMap<>();

    DayLedger(Path folder, Clock clock) {
        this.folder = folder;
        this.clock = clock;
    }

    private Path file() {
        return folder.resolve(LocalDate.now(clock) + ".jsonl");
    }

    /** Takes note that something was used, to be written. */
    void add(String measure, double amount) {
        lock.lock();
        try {
            unwritten.merge(measure, amount, Double::sum);
        } finally {
            lock.unlock();
        }
    }

    /** Writes what is not written yet; if that fails, it still is not. */
    void write() throws IOException {
        lock.lock();
        try {
            if (unwritten.isEmpty()) {
                return;
            }
            JsonWriter out = new JsonWriter();
            out.beginObject();
            unwritten.forEach((measure, amount) -> {
                out.name(measure);
                out.number(amount);
            });
            out.endObject();
            Files.createDirectories(folder);
            try (LogFile file = new LogFile(file(), Long.MAX_VALUE)) {
                // A line that a killed program has begun does not take this one with it.
                file.append(("\n" + out.toRawJson() + "\n").getBytes(StandardCharsets.UTF_8));
            }
            unwritten.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Returns what was used today, by measure, as the file says, and what is not written yet. */
    Map<String, Double> used() throws IOException {
        lock.lock();
        try {
            Path file = file();
            byte[] more = new byte[0];
            try (FileChannel in = FileChannel.open(file, StandardOpenOption.READ)) {
                if (!file.equals(read) || in.size() < end) {
                    read = file;
                    end = 0;
                    used.clear();
                }
                more = read(in, end);
            } catch (NoSuchFileException e) {
                used.clear();
                end = 0;
            }
            int begin = 0;
            for (int i = 0; i < more.length; i++) {
                if (more[i] == '\n') {
                    add(new String(more, begin, i - begin, StandardCharsets.UTF_8), used);
                    begin = i + 1;
                }
            }
            // What follows is a line that somebody is writing.
            end += begin;
            Map<String, Double> all = new TreeMap<>(used);
            unwritten.forEach((measure, amount) -> all.merge(measure, amount, Double::sum));
            return all;
        } finally {
            lock.unlock();
        }
    }

    private static byte[] read(FileChannel in, long from) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(in.size() - from));
        in.position(from);
        while (bytes.hasRemaining() && in.read(bytes) >= 0) {
            // Until all of it is read.
        }
        byte[] read = new byte[bytes.position()];
        bytes.flip().get(read);
        return read;
    }

    private static void add(String line, Map<String, Double> used) {
        try {
            if (!line.isBlank() && RawJson.parse(line).value() instanceof JsonObject entry) {
                entry.members().forEach((measure, value) -> {
                    if (value instanceof JsonNumber amount) {
                        used.merge(measure, amount.doubleValue(), Double::sum);
                    }
                });
            }
        } catch (JsonException e) {
            // It was begun only.
        }
    }
}
