package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.json.JsonBoolean;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import dev.acp4j.sessions.JsonLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which session is whose, as far as it was opened here, and on which day it was used last. With a file it is known
 * after a restart, too: a line for each day on which a session was used, and for its deletion, of which a restart
 * leaves the last one. The lock guards the map and the order of the lines.
 */
final class SessionOwners implements AutoCloseable {
    /** A session of a principal. Agents that number their sessions may open one for several. */
    private record Owned(String session, String principal) {}

    private final @Nullable JsonLines file;
    private final InstantSource clock;
    private final ReentrantLock lock = new ReentrantLock();

    /** When each was used last. */
    @GuardedBy("lock")
    private final Map<Owned, LocalDate> used = new HashMap<>();

    private SessionOwners(@Nullable JsonLines file, InstantSource clock) {
        this.file = file;
        this.clock = clock;
    }

    static SessionOwners inMemory(InstantSource clock) {
        return new SessionOwners(null, clock);
    }

    /**
     * Reads the file, which is created by the first session.
     *
     * @throws IOException when it cannot be read, or another gateway uses it
     */
    static SessionOwners read(Path path, InstantSource clock) throws IOException {
        JsonLines file = JsonLines.open(path).orElse(null);
        if (file == null) {
            return new SessionOwners(JsonLines.create(path), clock);
        }
        try (file) {
            SessionOwners before = new SessionOwners(null, clock);
            file.read(before::take);
            // Locked until another file is in its place, so that no other gateway reads it meanwhile.
            before.write(path);
            JsonLines rewritten = JsonLines.open(path).orElseThrow(() -> new NoSuchFileException(path.toString()));
            SessionOwners owners = new SessionOwners(rewritten, clock);
            rewritten.read(owners::take);
            return owners;
        }
    }

    /** Writes the file anew, with a line for each session. */
    private void write(Path path) throws IOException {
        Path written = path.resolveSibling(path.getFileName() + ".new");
        Files.deleteIfExists(written);
        List<RawJson> lines = new ArrayList<>();
        lock.lock();
        try {
            used.forEach((owned, day) -> lines.add(line(owned, "used", JsonString.of(day.toString()))));
        } finally {
            lock.unlock();
        }
        try (JsonLines to = JsonLines.create(written)) {
            to.append(lines);
        }
        Path unused = Files.move(written, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    /** Takes a line. Returns true for the next. */
    private boolean take(byte[] line) {
        if (!(RawJson.parse(line).value() instanceof JsonObject object)) {
            return true;
        }
        Owned owned = new Owned(
                object.text("session").orElse(""), object.text("principal").orElse(""));
        lock.lock();
        try {
            if (object.members().containsKey("deleted")) {
                used.remove(owned);
            } else {
                used.put(owned, object.text("used").map(LocalDate::parse).orElseGet(this::today));
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    boolean owns(Principal principal, String session) {
        lock.lock();
        try {
            return used.containsKey(new Owned(session, principal.name()));
        } finally {
            lock.unlock();
        }
    }

    /** A principal has opened a session, or goes on with it. */
    void opened(Principal principal, String session) throws IOException {
        Owned owned = new Owned(session, principal.name());
        LocalDate today = today();
        lock.lock();
        try {
            if (!today.equals(used.put(owned, today))) {
                append(owned, "used", JsonString.of(today.toString()));
            }
        } finally {
            lock.unlock();
        }
    }

    void deleted(Principal principal, String session) throws IOException {
        Owned owned = new Owned(session, principal.name());
        lock.lock();
        try {
            if (used.remove(owned) != null) {
                append(owned, "deleted", JsonBoolean.of(true));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the sessions of a principal that were not used for so many days. */
    List<String> unused(Principal principal, long days) {
        LocalDate since = today().minusDays(days);
        lock.lock();
        try {
            return used.entrySet().stream()
                    .filter(each -> each.getKey().principal.equals(principal.name())
                            && each.getValue().isBefore(since))
                    .map(each -> each.getKey().session)
                    .toList();
        } finally {
            lock.unlock();
        }
    }

    /** Returns whether a principal has not used one of its sessions for so many days. */
    boolean isUnused(Principal principal, String session, long days) {
        lock.lock();
        try {
            LocalDate last = used.get(new Owned(session, principal.name()));
            return last != null && last.isBefore(today().minusDays(days));
        } finally {
            lock.unlock();
        }
    }

    private void append(Owned owned, String name, JsonValue value) throws IOException {
        if (file != null) {
            file.append(List.of(line(owned, name, value)));
        }
    }

    private static RawJson line(Owned owned, String name, JsonValue value) {
        Map<String, JsonValue> line = new LinkedHashMap<>();
        line.put("session", new JsonString(owned.session));
        line.put("principal", new JsonString(owned.principal));
        line.put(name, value);
        return RawJson.of(JsonObject.of(line));
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
