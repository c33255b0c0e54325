package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Lists the relevant files of a workspace. In a Git checkout these are the files that Git lists: tracked, and untracked
 * unless ignored. Elsewhere, all files except those in folders with generated or downloaded content. Symbolic links are
 * not followed, so nothing outside the workspace is reached.
 */
final class WorkspaceFiles {
    /** The maximum length of a listing. */
    static final int MAX_FILES = 50_000;

    private static final int MAX_DEPTH = 64;
    private static final Duration GIT_TIME = Duration.ofSeconds(10);
    // Fifty thousand names of the usual length are a fifth of this.
    private static final long MAX_CHARACTERS = 16L << 20;
    private static final Set<String> SKIPPED_FOLDERS = Set.of(
            ".git",
            ".hg",
            ".svn",
            ".idea",
            ".vscode",
            ".gradle",
            ".mvn",
            ".cache",
            ".venv",
            "venv",
            "__pycache__",
            ".tox",
            ".mypy_cache",
            ".pytest_cache",
            "node_modules",
            "bower_components",
            "target",
            "build",
            "dist",
            "out",
            "bin",
            "obj",
            ".next",
            ".nuxt",
            ".terraform",
            "vendor",
            "Pods",
            "DerivedData",
            ".acp");

    private final List<Path> roots;
    private final int maxFiles;
    private final Duration gitTime;

    /** The first root is the working directory, which names are relative to. */
    WorkspaceFiles(List<Path> roots) {
        this(roots, MAX_FILES);
    }

    WorkspaceFiles(List<Path> roots, int maxFiles) {
        this(roots, maxFiles, GIT_TIME);
    }

    /** A folder that {@code git} does not list in the given time is walked. */
    WorkspaceFiles(List<Path> roots, int maxFiles, Duration gitTime) {
        this.roots = List.copyOf(roots);
        this.maxFiles = maxFiles;
        this.gitTime = gitTime;
    }

    List<Path> roots() {
        return roots;
    }

    Path workingDirectory() {
        return roots.getFirst();
    }

    /** Lists the current files. */
    FileListing list() throws InterruptedException, IOException {
        Collector collector = new Collector();
        boolean fromGit = false;
        for (Path root : roots) {
            Path real = root.toRealPath();
            List<String> listed = GitListing.of(real, maxFiles, gitTime);
            if (listed == null || listed.isEmpty()) {
                walk(root, real, collector);
            } else {
                fromGit = true;
                collector.addListed(root, real, listed);
            }
        }
        return new FileListing(List.copyOf(collector.found.values()), collector.truncated, fromGit);
    }

    /** Returns the name a file is shown under. */
    String nameOf(Path path) {
        Path cwd = workingDirectory();
        String name = path.startsWith(cwd) ? cwd.relativize(path).toString() : path.toString();
        return name.replace('\\', '/');
    }

    private void walk(Path root, Path real, Collector collector) throws IOException, InterruptedException {
        Walk walk = new Walk(root, real, collector);
        Files.walkFileTree(real, Set.of(), MAX_DEPTH, walk);
        if (walk.interrupted) {
            throw new InterruptedException();
        }
    }

    private static void checkInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
    }

    private final class Collector {
        private final Map<Path, WorkspaceFile> found = new LinkedHashMap<>();
        private final Map<Path, Boolean> insideByFolder = new HashMap<>();
        private long characters;
        private boolean truncated;

        boolean isFull() {
            if (found.size() < maxFiles && characters < MAX_CHARACTERS) {
                return false;
            }
            truncated = true;
            return true;
        }

        void add(Path path, BasicFileAttributes attributes) {
            characters += path.toString().length();
            found.putIfAbsent(
                    path,
                    new WorkspaceFile(
                            path,
                            nameOf(path),
                            attributes.size(),
                            attributes.lastModifiedTime().toMillis()));
        }

        void addListed(Path root, Path real, List<String> names) throws InterruptedException, IOException {
            for (String name : names) {
                checkInterrupted();
                if (isFull()) {
                    return;
                }
                Path inside = inside(real, name);
                BasicFileAttributes attributes = inside == null ? null : attributes(inside);
                if (inside == null || attributes == null || attributes.isSymbolicLink() || !isInside(inside, real)) {
                    continue;
                }
                if (attributes.isRegularFile()) {
                    add(root.resolve(name), attributes);
                } else if (attributes.isDirectory()) {
                    addNested(root.resolve(name), inside);
                }
            }
        }

        /** Returns null for what only a forged index has: a name that leads out of the folder, or round and round. */
        private static @Nullable Path inside(Path real, String name) {
            try {
                Path path = real.resolve(name);
                return path.normalize().equals(path) && path.startsWith(real) && !path.equals(real) ? path : null;
            } catch (InvalidPathException e) {
                return null; // no name for this system
            }
        }

        /** A submodule or another checkout inside this one: Git names only its folder. */
        private void addNested(Path root, Path real) throws InterruptedException, IOException {
            List<String> listed = Files.exists(real.resolve(".git")) ? GitListing.of(real, maxFiles, gitTime) : null;
            if (listed != null) {
                addListed(root, real, listed);
            }
        }

        /** A tracked file may lie behind a folder that has become a link. */
        private boolean isInside(Path path, Path real) {
            Path folder = path.getParent();
            if (folder == null || folder.equals(real)) {
                return true;
            }
            return insideByFolder.computeIfAbsent(folder, f -> {
                try {
                    return f.toRealPath().startsWith(real);
                } catch (IOException e) {
                    return false;
                }
            });
        }

        private static @Nullable BasicFileAttributes attributes(Path path) {
            try {
                return Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            } catch (IOException e) {
                return null; // tracked, but deleted in the working tree
            }
        }
    }

    private static final class Walk extends SimpleFileVisitor<Path> {
        private final Path root;
        private final Path real;
        private final Collector collector;
        private boolean interrupted;

        Walk(Path root, Path real, Collector collector) {
            this.root = root;
            this.real = real;
            this.collector = collector;
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            Path name = folder.getFileName();
            boolean skipped = !folder.equals(real) && name != null && SKIPPED_FOLDERS.contains(name.toString());
            return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            interrupted = Thread.interrupted();
            if (interrupted || collector.isFull()) {
                return FileVisitResult.TERMINATE;
            }
            if (attributes.isRegularFile()) {
                collector.add(root.resolve(real.relativize(file)), attributes);
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE; // unreadable folders are skipped without a message
        }

        @Override
        public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException e) {
            return FileVisitResult.CONTINUE;
        }
    }
}
