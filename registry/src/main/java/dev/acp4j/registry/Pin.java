package dev.acp4j.registry;

import dev.acp4j.json.JsonObject;
import dev.acp4j.json.JsonString;
import dev.acp4j.json.JsonValue;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The exact bytes of an agent that are wanted, on one or more platforms. With a pin, an agent is installed without an
 * index.
 *
 * @param id the id of the agent
 * @param version its version
 * @param source where the entry came from
 * @param license its licence, or null
 * @param repository the address of its source code, or null
 * @param distribution the one way that was chosen; archives of platforms that are pinned have a digest
 * @param tree the packages under a package, with the digest of each, as its package manager wrote them; null before it
 *     was installed for the first time, and for binaries
 */
public record Pin(
        String id,
        String version,
        String source,
        @Nullable String license,
        @Nullable String repository,
        Distribution distribution,
        @Nullable JsonValue tree) {
    /** Checks the id and the version. */
    public Pin {
        if (!AgentEntry.isId(id) || !Versions.isSafe(version)) {
            throw new IllegalArgumentException("not an id and a version: " + id + " " + version);
        }
    }

    /** Returns what an entry proposes. */
    static Pin of(AgentEntry entry, String source, Distribution distribution) {
        return new Pin(
                entry.id(),
                entry.version(),
                Addresses.shown(source),
                entry.text("license"),
                entry.text("repository"),
                distribution,
                null);
    }

    Pin with(Distribution changed) {
        return new Pin(id, version, source, license, repository, changed, tree);
    }

    Pin with(JsonValue changed) {
        return new Pin(id, version, source, license, repository, distribution, changed);
    }

    /** Returns the archive whose program runs on a platform; null if there is none, or for packages. */
    Distribution.@Nullable Archive archive(Platform platform) {
        Platform best = best(platform);
        return best == null || !(distribution instanceof Distribution.Binary binary)
                ? null
                : binary.archives().get(best);
    }

    /** Returns the platform whose archive is taken on a platform; null if there is none, or for packages. */
    @Nullable
    Platform best(Platform platform) {
        if (distribution instanceof Distribution.Binary binary) {
            for (Platform each : platform.runnable()) {
                if (binary.archives().containsKey(each)) {
                    return each;
                }
            }
        }
        return null;
    }

    /** Returns the digest that tells its bytes on a platform from others; null if they are not known yet. */
    @Nullable
    String digest(Platform platform) {
        if (distribution instanceof Distribution.Binary) {
            Distribution.Archive archive = archive(platform);
            return archive == null ? null : archive.sha256();
        }
        return tree == null ? null : Digests.of(Json.lines(tree));
    }

    /**
     * Returns this pin with the platforms of another one of the same version, whose digests of the same addresses win.
     */
    Pin and(@Nullable Pin older) {
        if (older == null
                || !older.version.equals(version)
                || !(older.distribution instanceof Distribution.Binary before)
                || !(distribution instanceof Distribution.Binary now)) {
            return this;
        }
        Map<Platform, Distribution.Archive> all = new TreeMap<>(now.archives());
        before.archives().forEach((platform, archive) -> {
            Distribution.Archive present = all.get(platform);
            String pinned = archive.sha256();
            boolean isChanged = present != null
                    && present.uri().equals(archive.uri())
                    && pinned != null
                    && !pinned.equals(present.sha256());
            if (present == null || isChanged) {
                all.put(platform, archive);
            }
        });
        return with(new Distribution.Binary(all));
    }

    /**
     * Returns this pin with those archives only that have a digest, are for a platform, or for one that another has.
     */
    Pin withPlatforms(@Nullable Platform platform, @Nullable Pin other) {
        if (!(distribution instanceof Distribution.Binary binary)) {
            return this;
        }
        Map<Platform, Distribution.Archive> all = new TreeMap<>(binary.archives());
        all.entrySet()
                .removeIf(each -> each.getValue().sha256() == null
                        && each.getKey() != platform
                        && (other == null || !other.platforms().contains(each.getKey())));
        return with(new Distribution.Binary(all));
    }

    /** Returns the platforms that a binary is pinned for; none for packages, which are for all. */
    public Set<Platform> platforms() {
        return distribution instanceof Distribution.Binary binary
                ? binary.archives().keySet()
                : Set.of();
    }

    /** Returns the platforms of this pin that another one lacks. */
    public List<Platform> platformsNotIn(Pin other) {
        return other.distribution instanceof Distribution.Binary
                ? platforms().stream()
                        .filter(each -> !other.platforms().contains(each))
                        .toList()
                : List.of();
    }

    /**
     * Returns this pin with the platforms that only another one of the same version has.
     *
     * @throws RegistryException if the other one has another digest for the same address
     */
    Pin completedBy(Pin other) throws RegistryException {
        if (!(other.distribution instanceof Distribution.Binary more)
                || !(distribution instanceof Distribution.Binary now)) {
            return this;
        }
        for (Map.Entry<Platform, Distribution.Archive> each : now.archives().entrySet()) {
            Distribution.Archive theirs = more.archives().get(each.getKey());
            String pinned = each.getValue().sha256();
            if (theirs != null
                    && theirs.uri().equals(each.getValue().uri())
                    && pinned != null
                    && theirs.sha256() != null
                    && !pinned.equals(theirs.sha256())) {
                throw new RegistryException("the index has other bytes for " + this + " than are pinned: "
                        + Addresses.shown(each.getValue().uri()) + " has the SHA-256 " + theirs.sha256()
                        + ", and pinned is " + pinned
                        + ". Nothing was changed");
            }
        }
        return and(other);
    }

    /** Returns this pin with those platforms only that have a digest. */
    Pin verified() {
        if (!(distribution instanceof Distribution.Binary binary)) {
            return this;
        }
        Map<Platform, Distribution.Archive> all = new TreeMap<>(binary.archives());
        all.values().removeIf(archive -> archive.sha256() == null);
        return with(new Distribution.Binary(all));
    }

    JsonObject json() {
        Map<String, JsonValue> members = new TreeMap<>();
        members.put("version", JsonString.of(version));
        members.put("source", JsonString.of(source));
        members.put("distribution", distribution.json());
        if (license != null) {
            members.put("license", JsonString.of(license));
        }
        if (repository != null) {
            members.put("repository", JsonString.of(repository));
        }
        if (tree != null) {
            members.put("tree", tree);
        }
        return JsonObject.of(members);
    }

    /** @throws IllegalArgumentException if it cannot be used */
    static Pin of(String id, JsonValue value) {
        JsonObject json = Json.object(value, id);
        String version = Json.text(json, "version");
        List<Distribution> distributions =
                Distribution.read(Json.object(json.get("distribution").orElse(json), id + ".distribution"), version);
        if (distributions.size() != 1) {
            throw new IllegalArgumentException(id + ".distribution: expected one kind");
        }
        return new Pin(
                id,
                version,
                Json.text(json, "source"),
                Json.optionalText(json, "license"),
                Json.optionalText(json, "repository"),
                distributions.getFirst(),
                json.get("tree").orElse(null));
    }

    /** Returns the id and the version. */
    @Override
    public String toString() {
        return id + " " + version;
    }
}
