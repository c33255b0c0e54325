package dev.acp4j.lsp;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds which files have changed on disk between two looks, by size and time: whatever has changed them, and without a
 * thread. Hidden folders and installed packages are left out. For one thread at a time.
 */
final class FolderScan {
    private static final int MOST_FILES = 20_000;
    private static final int MOST_VISITED = 200_000;
    private static final Set<String> LEFT_OUT = Set.of("node_modules", "__pycache__");

    /** How a file has changed, with the protocol's number. */
    enum Change {
        CREATED(1),
        CHANGED(2),
        DELETED(3);

        private final int number;

        Change(int number) {
            this.number = number;
        }

        int number() {
            return number;
        }
    }

    private record Stamp(long size, long time) {}

    private final List<Path> folders;
    private Map<Path, Stamp> last = Map.of();
    private boolean isCut;

    FolderScan(List<Path> folders) {
        this.folders = folders;
    }

    /** Whether there were more files than are looked at. */
    boolean isCut() {
        return isCut;
    }

    /**
     * Looks again.
     *
     * @param isWanted says which files count
     * @return what has changed since the last look; everything is new to the first one
     */
    Map<Path, Change> look(Predicate<Path> isWanted) {
        Map<Path, Stamp> now = new HashMap<>();
        isCut = false;
        for (Path folder : folders) {
            look(folder, isWanted, now);
        }
        Map<Path, Change> changes = new LinkedHashMap<>();
        now.forEach((file, stamp) -> {
            Stamp before = last.get(file);
            if (before == null) {
                changes.put(file, Change.CREATED);
            } else if (!before.equals(stamp)) {
                changes.put(file, Change.CHANGED);
            }
        });
        if (!isCut) {
            for (Path file : last.keySet()) {
                if (!now.containsKey(file)) {
                    changes.put(file, Change.DELETED);
                }
            }
        }
        last = now;
        return changes;
    }

    private void look(Path folder, Predicate<Path> isWanted, Map<Path, Stamp> found) {
        int[] visited = {0};
        try {
            Files.walkFileTree(folder, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    String name = String.valueOf(directory.getFileName());
                    boolean isLeftOut = !directory.equals(folder) && (name.startsWith(".") || LEFT_OUT.contains(name));
                    return isLeftOut ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (attributes.isRegularFile() && isWanted.test(file)) {
                        found.put(
                                file,
                                new Stamp(
                                        attributes.size(),
                                        attributes.lastModifiedTime().toMillis()));
                    }
                    visited[0]++;
                    isCut |= visited[0] >= MOST_VISITED || found.size() >= MOST_FILES;
                    return isCut ? FileVisitResult.TERMINATE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return FileVisitResult.CONTINUE; // It is not readable for us, nor for a server.
                }

                @Override
                public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException e) {
                    return FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            isCut = true; // The folder itself cannot be read, so changes in it are not known.
        }
    }
}
