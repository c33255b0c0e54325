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
import java.util.TreeMap;
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
     * An agent that was copied.
     *
     * @param entry its entry in the folder
     * @param unverified the platforms whose digest is that of what came, since nobody had said one
     */
    public record Copied(AgentEntry entry, List<Platform> unverified) {
        /** Copies the list. */
        public Copied {
            unverified = List.copyOf(unverified);
        }
    }

    /**
     * Copies agents into the folder. What is there of other agents, or of other platforms of the same version, stays.
     *
     * @param names ids, short names or beginnings; none for all agents
     * @param platforms the platforms whose archives are copied
     * @param consent whether archives that nothing verifies are copied; their digest is that of what comes
     * @throws UnverifiedException if some have no digest and the consent does not allow that; nothing was fetched
     * @throws RegistryException if an archive has other bytes than its entry says, or the folder is a mirror of another
     *     index
     */
    public List<Copied> copy(
            Collection<String> names, Collection<Platform> platforms, Agents.Consent consent, Progress progress)
            throws IOException, InterruptedException {
        Index index = reader.read(settings.indexes().getFirst(), false);
        TreeSet<String> ids = new TreeSet<>();
        for (String name : names) {
            ids.add(Agents.id(name, List.of(index)));
        }
        List<AgentEntry> wanted = index.agents().stream()
                .filter(entry -> names.isEmpty() || ids.contains(entry.id()))
                .toList();
        Map<String, AgentEntry> entries = present(index.origin());
        if (consent == Agents.Consent.VERIFIED) {
            requireDigests(wanted, entries, platforms);
        }
        Files.createDirectories(folder.resolve(Installer.ARCHIVES));
        List<Copied> copied = new ArrayList<>();
        for (AgentEntry entry : wanted) {
            Copied copy = copy(entry, entries.get(entry.id()), platforms, progress);
            entries.put(entry.id(), copy.entry());
            copied.add(copy);
        }
        Map<String, JsonValue> all = new LinkedHashMap<>();
        all.put("version", JsonString.of("1.0.0"));
        all.put("origin", JsonString.of(index.origin()));
        all.put(
                "agents",
                new JsonArray(entries.values().stream()
                        .<JsonValue>map(AgentEntry::json)
                        .toList()));
        Folders.write(
                folder.resolve("registry.json"),
                Json.lines(JsonObject.of(all)).getBytes(StandardCharsets.UTF_8),
                "rw-r--r--");
        return copied;
    }

    /** Returns the entries that the folder has, by their ids. */
    private Map<String, AgentEntry> present(String origin) throws IOException {
        Map<String, AgentEntry> entries = new TreeMap<>();
        Path file = folder.resolve("registry.json");
        if (Files.exists(file)) {
            Index present = Index.parse(
                    Files.readAllBytes(file), file.toString(), settings.clock().instant());
            if (!present.origin().equals(origin)) {
                throw new RegistryException(
                        file + " is of " + present.origin() + ", and no mirror of " + origin + ". Take another folder");
            }
            present.agents().forEach(entry -> entries.put(entry.id(), entry));
        }
        return entries;
    }

    private static void requireDigests(
            List<AgentEntry> wanted, Map<String, AgentEntry> entries, Collection<Platform> platforms)
            throws UnverifiedException {
        List<String> missing = new ArrayList<>();
        for (AgentEntry entry : wanted) {
            archives(entry).forEach((platform, archive) -> {
                if (platforms.contains(platform) && digest(entry, platform, archive, entries.get(entry.id())) == null) {
                    missing.add(entry + " for " + platform);
                }
            });
        }
        if (!missing.isEmpty()) {
            throw new UnverifiedException("nothing says which bytes these must have: " + String.join(", ", missing)
                    + ". Name other agents, or add --allow-unverified to copy what comes, with its digest");
        }
    }

    private static Map<Platform, Distribution.Archive> archives(AgentEntry entry) {
        return entry.distribution(Distribution.Kind.BINARY).orElse(null) instanceof Distribution.Binary binary
                ? binary.archives()
                : Map.of();
    }

    /** Returns the digest that an entry says, or that the folder has of the same archive; null if there is none. */
    private static @Nullable String digest(
            AgentEntry entry, Platform platform, Distribution.Archive archive, @Nullable AgentEntry before) {
        Distribution.Archive present = before == null || !before.version().equals(entry.version())
                ? null
                : archives(before).get(platform);
        return archive.sha256() == null && present != null && present.uri().equals(archive.uri())
                ? present.sha256()
                : archive.sha256();
    }

    private Copied copy(
            AgentEntry entry, @Nullable AgentEntry before, Collection<Platform> platforms, Progress progress)
            throws IOException, InterruptedException {
        Map<String, JsonValue> members = new LinkedHashMap<>(entry.json().members());
        List<Platform> unverified = new ArrayList<>();
        if (members.get("distribution") instanceof JsonObject distribution
                && distribution.get("binary").orElse(null) instanceof JsonObject binary) {
            Map<String, JsonValue> targets = new LinkedHashMap<>(binary.members());
            for (Map.Entry<Platform, Distribution.Archive> each :
                    archives(entry).entrySet()) {
                Platform platform = each.getKey();
                String digest = digest(entry, platform, each.getValue(), before);
                if (platforms.contains(platform)) {
                    if (digest == null) {
                        unverified.add(platform);
                    }
                    digest = copy(entry, each.getValue().uri(), digest, progress);
                }
                if (digest != null && targets.get(platform.id()) instanceof JsonObject target) {
                    targets.put(platform.id(), with(target, "sha256", JsonString.of(digest)));
                }
            }
            members.put("distribution", with(distribution, "binary", JsonObject.of(targets)));
        }
        icon(entry, members);
        return new Copied(AgentEntry.of(JsonObject.of(members)), unverified);
    }

    private static JsonObject with(JsonObject object, String name, JsonValue value) {
        Map<String, JsonValue> members = new LinkedHashMap<>(object.members());
        members.put(name, value);
        return JsonObject.of(members);
    }

    /** Copies an archive, unless it is there; returns its digest. */
    private String copy(AgentEntry entry, URI address, @Nullable String expected, Progress progress)
            throws IOException, InterruptedException {
        Path archives = folder.resolve(Installer.ARCHIVES);
        if (expected != null
                && Files.isRegularFile(archives.resolve(expected))
                && Digests.of(archives.resolve(expected)).equals(expected)) {
            return expected;
        }
        Path file = archives.resolve(".new-" + ProcessHandle.current().pid());
        Files.deleteIfExists(file);
        try {
            String came = downloads.fetch(address, file, progress).sha256();
            if (expected != null && !expected.equals(came)) {
                throw new RegistryException(entry + " has other bytes than its entry says: expected SHA-256 " + expected
                        + ", got " + came + " from " + Addresses.shown(address));
            }
            Folders.rename(file, archives.resolve(came));
            return came;
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
