package dev.acp4j.http.gateway;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.acp4j.http.Principal;
import dev.acp4j.json.JsonLines;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Which session is whose, as far as it was opened here. With a file it is known after a restart, too: a line for each
 * session that was opened or deleted. The lock guards the map and the order of the lines.
 */
final class SessionOwners implements AutoCloseable {
    private final @Nullable JsonLines file;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private final Map<String, String> owners = new HashMap<>();

    private SessionOwners(@Nullable JsonLines file) {
        this.file = file;
    }

    static SessionOwners inMemory() {
        return new SessionOwners(null);
    }

    /**
     * Reads the file, which is created by the first session.
     *
     * @throws IOException when it cannot be read, or another gateway uses it
     */
    static SessionOwners read(Path path) throws IOException {
        JsonLines file = JsonLines.open(path).orElseGet(() -> JsonLines.create(path));
        SessionOwners owners = new SessionOwners(file);
        file.read(owners::take);
        return owners;
    }

    /** Takes a line. Returns true for the next. */
    private boolean take(byte[] line) {
        if (!(RawJson.parse(line).value() instanceof JsonObject object)) {
            return true;
        }
        String session = object.text("session").orElse("");
        String principal = object.text("principal").orElse(null);
        lock.lock();
        try {
            if (principal == null) {
                owners.remove(session);
            } else {
                owners.put(session, principal);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    boolean owns(Principal principal, String session) {
        lock.lock();
        try {
            return principal.name().equals(owners.get(session));
        } finally {
            lock.unlock();
        }
    }

    /** A session is the principal's from now on, unless it is somebody's. */
    void opened(Principal principal, String session) throws IOException {
        lock.lock();
        try {
            if (owners.putIfAbsent(session, principal.name()) == null) {
                append(session, principal.name());
            }
        } finally {
            lock.unlock();
        }
    }

    void deleted(String session) throws IOException {
        lock.lock();
        try {
            if (owners.remove(session) != null) {
                append(session, null);
            }
        } finally {
            lock.unlock();
        }
    }

    private void append(String session, @Nullable String principal) throws IOException {
        if (file == null) {
            return;
        }
        Map<String, JsonValue> line = new LinkedHashMap<>();
        line.put("session", new JsonString(session));
        if (principal != null) {
            line.put("principal", new JsonString(principal));
        }
        file.append(List.of(RawJson.of(JsonObject.of(line))));
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
