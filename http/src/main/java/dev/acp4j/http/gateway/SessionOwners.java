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
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final Map<String, Set<String>> owners = new HashMap<>();

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
        String principal = object.text("principal").orElse("");
        lock.lock();
        try {
            if (object.members().containsKey("deleted")) {
                remove(principal, session);
            } else {
                owners.computeIfAbsent(session, id -> new HashSet<>(1)).add(principal);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private boolean remove(String principal, String session) {
        Set<String> left = owners.get(session);
        boolean was = left != null && left.remove(principal);
        if (left != null && left.isEmpty()) {
            owners.remove(session);
        }
        return was;
    }

    boolean owns(Principal principal, String session) {
        lock.lock();
        try {
            return owners.getOrDefault(session, Set.of()).contains(principal.name());
        } finally {
            lock.unlock();
        }
    }

    /** The agent has opened a session for a principal. Agents that number their sessions may do so for several. */
    void opened(Principal principal, String session) throws IOException {
        lock.lock();
        try {
            if (owners.computeIfAbsent(session, id -> new HashSet<>(1)).add(principal.name())) {
                append(session, principal.name(), false);
            }
        } finally {
            lock.unlock();
        }
    }

    void deleted(Principal principal, String session) throws IOException {
        lock.lock();
        try {
            if (remove(principal.name(), session)) {
                append(session, principal.name(), true);
            }
        } finally {
            lock.unlock();
        }
    }

    private void append(String session, String principal, boolean deleted) throws IOException {
        if (file == null) {
            return;
        }
        Map<String, JsonValue> line = new LinkedHashMap<>();
        line.put("session", new JsonString(session));
        line.put("principal", new JsonString(principal));
        if (deleted) {
            line.put("deleted", JsonBoolean.of(true));
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
