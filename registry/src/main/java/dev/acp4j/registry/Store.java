package dev.acp4j.registry;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The folder of installations: {@code ROOT/ID/VERSION-DIGEST}. What is being made is in {@code ROOT/.work} and gets its
 * name by one rename, while the lock of the agent is held; what a killed process has left there is deleted by the next
 * one that holds the lock.
 */
final class Store {
    private static final String WORK = ".work";
    private static final String LOCKS = ".locks";

    private final Path root;

    Store(Path root) {
        this.root = root;
    }

    Path root() {
        return root;
    }

    Path locks() {
        return root.resolve(LOCKS);
    }

    /** Makes a folder of an installation. */
    interface Maker {
        /**
         * Fills a folder and writes its receipt.
         *
         * @return the name of the folder in the store
         */
        String make(Path folder) throws IOException, InterruptedException;
    }

    /** Something that is done while an agent is not changed by others. */
    interface Action<T> {
        T run() throws IOException, InterruptedException;
    }

    <T> T locked(String id, Action<T> action) throws IOException, InterruptedException {
        requireId(id);
        Folders.create(root);
        Folders.create(locks());
        ProcessLock held = ProcessLock.take(locks().resolve(id));
        try {
            sweep(id);
            return action.run();
        } finally {
            held.close();
        }
    }

    /** @throws RegistryException if other users could have changed an installation */
    void requireOurs(Installation installation) throws IOException {
        Folders.requireOurs(root);
        Folders.requireOurs(root.resolve(installation.id()));
        Folders.requireOurs(installation.folder());
    }

    private static void requireId(String id) {
        if (!AgentEntry.isId(id)) {
            throw new IllegalArgumentException("not an id: " + id);
        }
    }

    private void sweep(String id) throws IOException {
        Path work = Folders.create(root.resolve(WORK));
        try (DirectoryStream<Path> left = Files.newDirectoryStream(
                work, child -> child.getFileName().toString().startsWith(id + "@"))) {
            for (Path each : left) {
                long unused = Folders.delete(each);
            }
        }
    }

    /** Makes an installation. The lock of the agent must be held. */
    Installation add(String id, Maker maker) throws IOException, InterruptedException {
        Path work = Files.createTempDirectory(root.resolve(WORK), id + "@", Folders.ofUser(root, "rwx------"));
        try {
            Path made = Files.createDirectory(work.resolve("made"), Folders.ofUser(root, "rwx------"));
            String name = maker.make(made);
            Path agent = Folders.create(root.resolve(id));
            Path place = agent.resolve(name);
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS)) {
                // A damaged one, since a good one is not made again.
                Folders.rename(place, work.resolve("damaged"));
            }
            Folders.rename(made, place);
            return Objects.requireNonNull(Installation.read(place));
        } finally {
            long unused = Folders.delete(work);
        }
    }

    /** Returns the installation with a digest; null if there is none. */
    @Nullable
    Installation find(String id, String version, String digest) {
        requireId(id);
        Installation found = in(root.resolve(id).resolve(Installation.folderName(version, digest)), id);
        return found != null && found.version().equals(version) ? found : null;
    }

    /** Returns the installations of an agent, the newest version first. */
    List<Installation> of(String id) throws IOException {
        List<Installation> all = new ArrayList<>();
        for (Path child : folders(id)) {
            Installation found = in(child, id);
            if (found != null) {
                all.add(found);
            }
        }
        all.sort((one, other) -> Versions.ORDER.compare(other.version(), one.version()));
        return all;
    }

    List<Installation> all() throws IOException {
        List<Installation> all = new ArrayList<>();
        for (String id : ids()) {
            all.addAll(of(id));
        }
        return all;
    }

    /** Returns the folders in the place of installations that are none. */
    List<Path> damaged() throws IOException {
        List<Path> damaged = new ArrayList<>();
        for (String id : ids()) {
            for (Path child : folders(id)) {
                if (in(child, id) == null) {
                    damaged.add(child);
                }
            }
        }
        damaged.sort(null);
        return damaged;
    }

    private static @Nullable Installation in(Path folder, String id) {
        Installation found = Installation.read(folder);
        return found != null && found.id().equals(id) ? found : null;
    }

    private List<Path> folders(String id) throws IOException {
        requireId(id);
        Path agent = root.resolve(id);
        List<Path> folders = new ArrayList<>();
        if (Files.isDirectory(agent, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> children =
                    Files.newDirectoryStream(agent, child -> Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS))) {
                children.forEach(folders::add);
            }
        }
        return folders;
    }

    private List<String> ids() throws IOException {
        List<String> ids = new ArrayList<>();
        if (Files.isDirectory(root)) {
            try (DirectoryStream<Path> children = Files.newDirectoryStream(
                    root, child -> AgentEntry.isId(child.getFileName().toString()))) {
                children.forEach(child -> ids.add(child.getFileName().toString()));
            }
        }
        ids.sort(null);
        return ids;
    }

    /**
     * Deletes an installation: it leaves its place by one rename first. The lock of the agent must be held.
     *
     * @return the bytes that were freed
     */
    long remove(Installation installation) throws IOException {
        Path folder = installation.folder();
        Path parent = root.resolve(installation.id());
        if (!parent.equals(folder.getParent())
                || !Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                || !Files.isDirectory(parent, LinkOption.NOFOLLOW_LINKS)) {
            throw new RegistryException("not an installation of ours: " + folder);
        }
        Path work = Files.createTempDirectory(
                root.resolve(WORK), installation.id() + "@", Folders.ofUser(root, "rwx------"));
        Folders.rename(folder, work.resolve("removed"));
        long freed = Folders.delete(work);
        try (DirectoryStream<Path> left = Files.newDirectoryStream(parent)) {
            if (left.iterator().hasNext()) {
                return freed;
            }
        }
        Files.delete(parent);
        return freed;
    }
}
