package dev.acp4j.cli.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.cli.command.StateFolder;
import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonWriter;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The sessions that {@code acp} remembers: for agents that do not list theirs, and the settings of the user, which an
 * agent may forget. One file, a line of JSON for each session, the one used last at the end; only the user can read it.
 *
 * <p>The file is replaced under a lock that all processes share, so none loses what another one wrote. The lock of this
 * object makes threads wait for each other, which locks of files do not; it is held while the file is written.
 */
public final class RememberedSessions {
    private static final int MOST = 200;
    private static final int LONGEST_LINE = 16_000;
    private static final int MOST_BYTES = 16 << 20;

    private static final ReentrantLock LOCK = new ReentrantLock();

    private final Path file;

    /** Returns those of the user. */
    public static RememberedSessions ofUser() {
        return new RememberedSessions(StateFolder.path().resolve("sessions.jsonl"));
    }

    RememberedSessions(Path file) {
        this.file = file;
    }

    /**
     * A remembered session.
     *
     * @param agent the command line of the agent, without secrets
     * @param cwd its working folder
     * @param id its id
     * @param title its title, or null
     * @param usedAt when it was used last, as ISO 8601 text
     * @param settings the values that the user has set, by the ids of their options
     */
    record Remembered(
            String agent, String cwd, String id, @Nullable String title, String usedAt, Map<String, String> settings) {
        Remembered {
            settings = Map.copyOf(settings);
        }

        boolean isSame(Remembered other) {
            return agent.equals(other.agent) && id.equals(other.id);
        }

        String toJson() {
            JsonWriter out = new JsonWriter();
            out.beginObject();
            out.name("agent");
            out.string(agent);
            out.name("cwd");
            out.string(cwd);
            out.name("sessionId");
            out.string(id);
            if (title != null) {
                out.name("title");
                out.string(title);
            }
            out.name("usedAt");
            out.string(usedAt);
            out.name("settings");
            out.beginObject();
            settings.forEach((name, value) -> {
                out.name(name);
                out.string(value);
            });
            out.endObject();
            out.endObject();
            return out.toRawJson().toString();
        }

        /** Returns null for a line that is no remembered session. */
        static @Nullable Remembered read(String line) {
            try {
                if (!(RawJson.parse(line).value() instanceof JsonObject object)) {
                    return null;
                }
                String agent = object.text("agent").orElse(null);
                String cwd = object.text("cwd").orElse(null);
                String id = object.text("sessionId").orElse(null);
                String usedAt = object.text("usedAt").orElse(null);
                if (agent == null || cwd == null || id == null || usedAt == null) {
                    return null;
                }
                Map<String, String> settings = new LinkedHashMap<>();
                if (object.get("settings").orElse(null) instanceof JsonObject set) {
                    for (String name : set.members().keySet()) {
                        set.text(name).ifPresent(value -> settings.put(name, value));
                    }
                }
                return new Remembered(agent, cwd, id, object.text("title").orElse(null), usedAt, settings);
            } catch (JsonException e) {
                return null;
            }
        }
    }

    /** Returns the sessions of an agent, the one used last first. */
    List<Remembered> of(String agent) throws IOException {
        List<Remembered> found = new ArrayList<>();
        for (Remembered each : read()) {
            if (each.agent.equals(agent)) {
                found.addFirst(each);
            }
        }
        return found;
    }

    /** Adds a session, or replaces what is known of it. The oldest of too many is forgotten. */
    void put(Remembered session) throws IOException {
        if (session.toJson().length() > LONGEST_LINE) {
            throw new IOException("title and settings of the session are too long");
        }
        LOCK.lock();
        try {
            write(session);
        } finally {
            LOCK.unlock();
        }
    }

    @GuardedBy("LOCK")
    private void write(Remembered session) throws IOException {
        Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
        Path guard = folder.resolve(file.getFileName() + ".lock");
        try (FileChannel channel = FileChannel.open(
                guard, Set.of(StandardOpenOption.WRITE, StandardOpenOption.CREATE), StateFolder.ofUser(guard))) {
            // Released with the channel.
            FileLock unused = channel.lock();
            List<Remembered> all = read();
            all.removeIf(session::isSame);
            all.add(session);
            StringBuilder text = new StringBuilder();
            for (Remembered each : all.subList(Math.max(0, all.size() - MOST), all.size())) {
                text.append(each.toJson()).append('\n');
            }
            Path written = folder.resolve(file.getFileName() + ".new");
            Files.deleteIfExists(written);
            try {
                Files.createFile(written, StateFolder.ofUser(written));
                Files.writeString(written, text);
                Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(written);
            }
        }
    }

    private List<Remembered> read() throws IOException {
        List<Remembered> all = new ArrayList<>();
        try {
            if (Files.size(file) > MOST_BYTES) {
                throw new IOException(file + " is too large to be a list of sessions");
            }
            for (String line : new String(Files.readAllBytes(file), StandardCharsets.UTF_8).split("\n", -1)) {
                Remembered read = line.isBlank() ? null : Remembered.read(line);
                if (read != null) {
                    all.add(read);
                }
            }
        } catch (NoSuchFileException e) {
            // Nothing was remembered yet.
        }
        return all;
    }
}
