package dev.acp4j.registry;

import dev.acp4j.json.JsonException;
import dev.acp4j.json.JsonNumber;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonValue;
import dev.acp4j.json.RawJson;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A file of pins, {@code acp.lock}: of a project, or of a user. Its text depends on its pins only, so that two runs
 * write equal bytes, and the agents that two branches add are merged as text. Thread-safe; a change is one rename.
 */
public final class LockFile {
    /** The name of the file in a project. */
    public static final String NAME = "acp.lock";

    private static final JsonNumber FORMAT = JsonNumber.of(1);

    private final Path path;
    private final Path locks;
    private final boolean isOfProject;

    /** Changes the pins. */
    interface Change {
        void apply(SortedMap<String, Pin> pins) throws IOException;
    }

    LockFile(Path path, Path locks, boolean isOfProject) {
        this.path = path.toAbsolutePath().normalize();
        this.locks = locks;
        this.isOfProject = isOfProject;
    }

    /**
     * Finds the lock file of a project: in a folder, or those above it up to the root of the checkout.
     *
     * @return the file; null if there is none
     */
    static @Nullable Path find(Path folder) {
        Path here = folder.toAbsolutePath().normalize();
        Path root = here;
        while (root != null && !Files.exists(root.resolve(".git"))) {
            root = root.getParent();
        }
        for (Path each = here; each != null; each = each.getParent()) {
            Path file = each.resolve(NAME);
            if (Files.isRegularFile(file)) {
                return file;
            }
            if (root == null || each.equals(root)) {
                return null;
            }
        }
        return null;
    }

    /** Returns its path. */
    public Path path() {
        return path;
    }

    /** Returns whether it is that of a project. */
    public boolean isOfProject() {
        return isOfProject;
    }

    /**
     * Reads the pins by id. A file that does not exist has none.
     *
     * @throws RegistryException if the file cannot be used; the message says where
     */
    public SortedMap<String, Pin> pins() throws IOException {
        String text = Folders.text(path);
        SortedMap<String, Pin> pins = new TreeMap<>();
        if (text == null) {
            return pins;
        }
        try {
            JsonObject json = Json.object(RawJson.parse(text).value(), NAME);
            if (!json.get("lockVersion").equals(Optional.of(FORMAT))) {
                throw new IllegalArgumentException("lockVersion: expected 1");
            }
            JsonValue agents = json.get("agents").orElse(JsonObject.of(Map.of()));
            Json.object(agents, "agents").members().forEach((id, value) -> pins.put(id, Pin.of(id, value)));
            return Collections.unmodifiableSortedMap(pins);
        } catch (JsonException | IllegalArgumentException e) {
            String conflict = text.contains("<<<<<<<") ? " It has conflicts of a merge." : "";
            throw new RegistryException(path + " cannot be used: " + e.getMessage() + "." + conflict, e);
        }
    }

    /** Returns the pin of an agent; empty if there is none. */
    public Optional<Pin> pin(String id) throws IOException {
        return Optional.ofNullable(pins().get(id));
    }

    /** Reads, changes and writes the pins, while no other process does. */
    void change(Change change) throws IOException, InterruptedException {
        Folders.create(locks);
        String name = "lockfile-" + Digests.of(path.toString()).substring(0, 16);
        ProcessLock held = ProcessLock.take(locks.resolve(name));
        try {
            SortedMap<String, Pin> pins = new TreeMap<>(pins());
            change.apply(pins);
            String text = text(pins);
            if (!text.equals(Folders.text(path))) {
                Folders.write(path, text.getBytes(StandardCharsets.UTF_8), isOfProject ? "rw-r--r--" : "rw-------");
            }
        } finally {
            held.close();
        }
    }

    static String text(Map<String, Pin> pins) {
        Map<String, JsonValue> agents = new LinkedHashMap<>();
        pins.forEach((id, pin) -> agents.put(id, pin.json()));
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("lockVersion", FORMAT);
        members.put("agents", JsonObject.of(agents));
        return Json.lines(JsonObject.of(members));
    }

    /** Returns the path. */
    @Override
    public String toString() {
        return path.toString();
    }
}
