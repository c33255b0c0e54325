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
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * A folder from which agents are installed without a network: an index with digests, and the archives by their digest.
 * Packages of npm and Python are not copied; a mirror of a server of packages does that.
 */
public final class Mirror {
    private final Path folder;
    private final IndexReader reader;
    private final Downloads downloads;
    private final RegistrySettings settings;

    Mirror(Path folder, IndexReader reader, Downloads downloads, RegistrySettings settings) {
        this.folder = folder;
        this.reader = reader;
        this.downloads = downloads;
        this.settings = settings;
    }

    /**
     * Copies agents into the folder.
     *
     * @param names ids, short names or beginnings; none for all agents
     * @param platforms the platforms whose archives are copied
     * @return the entries that the folder has now
     * @throws RegistryException if an archive has other bytes than its entry says
     */
    public List<AgentEntry> copy(Collection<String> names, Collection<Platform> platforms, Progress progress)
            throws IOException, InterruptedException {
        Index index = reader.read(settings.indexes().getFirst(), false);
        TreeSet<String> ids = new TreeSet<>();
        for (String name : names) {
            ids.add(Agents.id(name, List.of(index)));
        }
        Files.createDirectories(folder.resolve(Installer.ARCHIVES));
        List<JsonValue> entries = new ArrayList<>();
        List<AgentEntry> copied = new ArrayList<>();
        for (AgentEntry entry : index.agents()) {
            if (names.isEmpty() || ids.contains(entry.id())) {
                JsonObject copy = copy(entry, platforms, progress);
                entries.add(copy);
                copied.add(AgentEntry.of(copy));
            }
        }
        Map<String, JsonValue> all = new LinkedHashMap<>();
        all.put("version", JsonString.of("1.0.0"));
        all.put("origin", JsonString.of(index.origin()));
        all.put("agents", new JsonArray(entries));
        Folders.write(
                folder.resolve("registry.json"),
                Json.lines(JsonObject.of(all)).getBytes(StandardCharsets.UTF_8),
                "rw-r--r--");
        return copied;
    }

    private JsonObject copy(AgentEntry entry, Collection<Platform> platforms, Progress progress)
            throws IOException, InterruptedException {
        Map<String, JsonValue> members = new LinkedHashMap<>(entry.json().members());
        JsonObject distribution = (JsonObject) members.get("distribution");
        if (distribution != null && distribution.get("binary").orElse(null) instanceof JsonObject binary) {
            Map<String, JsonValue> targets = new LinkedHashMap<>(binary.members());
            Distribution.Binary read = (Distribution.Binary)
                    entry.distribution(Distribution.Kind.BINARY).orElseThrow();
            for (Map.Entry<Platform, Distribution.Archive> each :
                    read.archives().entrySet()) {
                if (platforms.contains(each.getKey())) {
                    String target = each.getKey().id();
                    targets.put(target, with(targets.get(target), archive(entry, each.getValue(), progress)));
                }
            }
            Map<String, JsonValue> kinds = new LinkedHashMap<>(distribution.members());
            kinds.put("binary", JsonObject.of(targets));
            members.put("distribution", JsonObject.of(kinds));
        }
        icon(entry, members);
        return JsonObject.of(members);
    }

    private static JsonObject with(@Nullable JsonValue target, Downloads.Fetched fetched) {
        Map<String, JsonValue> members =
                new LinkedHashMap<>(((JsonObject) java.util.Objects.requireNonNull(target)).members());
        members.put("sha256", JsonString.of(fetched.sha256()));
        return JsonObject.of(members);
    }

    private Downloads.Fetched archive(AgentEntry entry, Distribution.Archive archive, Progress progress)
            throws IOException, InterruptedException {
        Path archives = folder.resolve(Installer.ARCHIVES);
        String expected = archive.sha256();
        if (expected != null
                && Files.isRegularFile(archives.resolve(expected))
                && Digests.of(archives.resolve(expected)).equals(expected)) {
            return new Downloads.Fetched(expected, Files.size(archives.resolve(expected)));
        }
        Path file = archives.resolve(".new-" + ProcessHandle.current().pid());
        Files.deleteIfExists(file);
        try {
            Downloads.Fetched fetched = downloads.fetch(archive.uri(), file, progress);
            if (expected != null && !expected.equals(fetched.sha256())) {
                throw new RegistryException(entry + " has other bytes than its entry says: expected SHA-256 " + expected
                        + ", got " + fetched.sha256() + " from " + archive.uri());
            }
            Folders.rename(file, archives.resolve(fetched.sha256()));
            return fetched;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** An icon that cannot be had is no reason to have no agent. */
    private void icon(AgentEntry entry, Map<String, JsonValue> members) throws IOException, InterruptedException {
        String icon = entry.text("icon");
        byte[] svg = icon == null ? null : svg(entry.id(), icon);
        if (svg != null) {
            Folders.write(folder.resolve(entry.id() + ".svg"), svg, "rw-r--r--");
            members.put("icon", JsonString.of(entry.id() + ".svg"));
        }
    }

    /** Returns an icon by its address, or its place in the index: beside the index, or beside the entry in a folder. */
    private byte @Nullable [] svg(String id, String icon) throws InterruptedException {
        String index = settings.indexes().getFirst();
        try {
            if (IndexReader.isAddress(icon) || IndexReader.isAddress(index)) {
                URI address = IndexReader.isAddress(icon)
                        ? URI.create(icon)
                        : URI.create(index).resolve(icon);
                return downloads.fetch(address, (String) null).body();
            }
            Path path = Path.of(index).toAbsolutePath().normalize();
            Path root = (Files.isDirectory(path) ? path : path.resolveSibling("")).toRealPath();
            for (Path place : List.of(root.resolve(id).resolve(icon), root.resolve(icon))) {
                Path file = Files.isRegularFile(place) ? place.toRealPath() : null;
                if (file != null
                        && file.startsWith(root)
                        && Files.size(file) <= settings.limits().index()) {
                    return Files.readAllBytes(file);
                }
            }
            return null;
        } catch (IOException | IllegalArgumentException e) {
            return null;
        }
    }
}
