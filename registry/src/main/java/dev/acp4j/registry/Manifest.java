package dev.acp4j.registry;

import dev.acp4j.json.JsonArray;
import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the entry of an agent of one's own. Immutable; each method returns a changed copy. */
public final class Manifest {
    private final Map<String, JsonValue> members;
    private final Map<String, JsonValue> targets;
    private final Map<String, JsonValue> kinds;
    private final @Nullable Path icon;

    private Manifest(
            Map<String, JsonValue> members,
            Map<String, JsonValue> targets,
            Map<String, JsonValue> kinds,
            @Nullable Path icon) {
        this.members = members;
        this.targets = targets;
        this.kinds = kinds;
        this.icon = icon;
    }

    /** Returns an entry that has no program yet. */
    public static Manifest of(String id, String name, String version, String description) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        members.put("id", JsonString.of(id));
        members.put("name", JsonString.of(name));
        members.put("version", JsonString.of(version));
        members.put("description", JsonString.of(description));
        return new Manifest(members, Map.of(), Map.of(), null);
    }

    private static Map<String, JsonValue> with(Map<String, JsonValue> map, String name, JsonValue value) {
        Map<String, JsonValue> changed = new LinkedHashMap<>(map);
        changed.put(name, value);
        return changed;
    }

    /** Returns the entry with another member, such as {@code license}, {@code repository} or {@code website}. */
    public Manifest text(String member, String value) {
        return new Manifest(with(members, member, JsonString.of(value)), targets, kinds, icon);
    }

    /** Returns the entry with authors. */
    public Manifest authors(List<String> names) {
        return new Manifest(with(members, "authors", array(names)), targets, kinds, icon);
    }

    /** Returns the entry with a file as its icon. */
    public Manifest icon(Path svg) {
        return new Manifest(members, targets, kinds, svg);
    }

    /**
     * Returns the entry with a program for a platform.
     *
     * @param address where the archive will be
     * @param file the archive as it is now, for its digest; null to have none
     * @param command the program in it
     * @param args its arguments
     */
    public Manifest binary(Platform platform, URI address, @Nullable Path file, String command, List<String> args)
            throws IOException {
        Map<String, JsonValue> target = new LinkedHashMap<>();
        target.put("archive", JsonString.of(address.toString()));
        target.put("cmd", JsonString.of(command));
        if (!args.isEmpty()) {
            target.put("args", array(args));
        }
        if (file != null) {
            target.put("sha256", JsonString.of(Digests.of(file)));
        }
        return new Manifest(members, with(targets, platform.id(), JsonObject.of(target)), kinds, icon);
    }

    /** Returns the entry with a package of npm or Python, written with its exact version. */
    public Manifest pack(Distribution.Kind kind, String text, List<String> args) {
        Map<String, JsonValue> parts = new LinkedHashMap<>();
        parts.put("package", JsonString.of(text));
        if (!args.isEmpty()) {
            parts.put("args", array(args));
        }
        return new Manifest(members, targets, with(kinds, kind.id(), JsonObject.of(parts)), icon);
    }

    private static JsonArray array(List<String> texts) {
        return new JsonArray(texts.stream().<JsonValue>map(JsonString::of).toList());
    }

    /**
     * Writes {@code ID/agent.json} and {@code ID/icon.svg} into a folder.
     *
     * @return the folder of the entry
     * @throws IllegalArgumentException if something in it cannot be used; the message says what
     */
    public Path write(Path folder) throws IOException {
        Map<String, JsonValue> distribution = new LinkedHashMap<>();
        if (!targets.isEmpty()) {
            distribution.put("binary", JsonObject.of(targets));
        }
        distribution.putAll(kinds);
        AgentEntry entry = AgentEntry.of(JsonObject.of(with(members, "distribution", JsonObject.of(distribution))));
        Path place = folder.resolve(entry.id());
        Files.createDirectories(place);
        Folders.write(
                place.resolve("agent.json"), Json.lines(entry.json()).getBytes(StandardCharsets.UTF_8), "rw-r--r--");
        if (icon != null) {
            Folders.write(place.resolve("icon.svg"), Files.readAllBytes(icon), "rw-r--r--");
        }
        return place;
    }
}
