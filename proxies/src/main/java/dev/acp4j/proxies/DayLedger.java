package dev.acp4j.proxies;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.util.Map;
import java.util.TreeMap;

/** What all sessions of a day have used, in a file of lines to which several programs append. */
final class DayLedger {
    private final Path folder;
    private final Clock clock;

    DayLedger(Path folder, Clock clock) {
        this.folder = folder;
        this.clock = clock;
    }

    private Path file() {
        return folder.resolve(LocalDate.now(clock) + ".jsonl");
    }

    /** Notes that something was used. */
    void add(String measure, double amount) throws IOException {
        JsonWriter out = new JsonWriter();
        out.beginObject();
        out.name(measure);
        out.number(amount);
        out.endObject();
        Files.createDirectories(folder);
        try (LogFile file = new LogFile(file(), Long.MAX_VALUE)) {
            // A line that a killed program has begun does not take this one with it.
            file.append(("\n" + out.toRawJson() + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    /** Returns what was used today, by measure. */
    Map<String, Double> used() throws IOException {
        Map<String, Double> used = new TreeMap<>();
        try {
            for (String line : Files.readAllLines(file())) {
                add(line, used);
            }
        } catch (NoSuchFileException e) {
            // Nothing yet.
        }
        return used;
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
