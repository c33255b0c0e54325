package dev.acp4j.proxies;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A copy of a folder in which somebody may write, without what leads out of it. */
final class FolderCopy {
    private final Path folder;
    private final Map<Path, State> copied;

    /** What tells that a file was not changed since. */
    private record State(long size, FileTime time) {}

    private FolderCopy(Path folder, Map<Path, State> copied) {
        this.folder = folder;
        this.copied = copied;
    }

    /**
     * Copies a folder. Symbolic links are left out: they may lead to the original.
     *
     * @param most how many bytes it may have
     * @throws IOException when it cannot be copied, or is larger; nothing is left of it
     */
    static FolderCopy of(Path original, long most) throws IOException {
        Path folder = Files.createTempDirectory("acp4j-copy-");
        Map<Path, State> copied = new HashMap<>();
        boolean isDone = false;
        try {
            Files.walkFileTree(original, new SimpleFileVisitor<>() {
                private long bytes;

                @Override
                public FileVisitResult preVisitDirectory(Path from, BasicFileAttributes attributes) throws IOException {
                    Files.createDirectories(folder.resolve(original.relativize(from)));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path from, BasicFileAttributes attributes) throws IOException {
                    if (Thread.currentThread().isInterrupted()) {
                        throw new InterruptedIOException("interrupted while copying " + original);
                    }
                    if (!attributes.isRegularFile()) {
                        return FileVisitResult.CONTINUE;
                    }
                    bytes += attributes.size();
                    if (bytes > most) {
                        throw new IOException(original + " has more than " + most + " bytes");
                    }
                    Path name = original.relativize(from);
                    Path to = folder.resolve(name);
                    Files.copy(from, to, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
                    copied.put(name, state(Files.readAttributes(to, BasicFileAttributes.class)));
                    return FileVisitResult.CONTINUE;
                }
            });
            isDone = true;
        } finally {
            if (!isDone) {
                delete(folder);
            }
        }
        return new FolderCopy(folder, copied);
    }

    private static State state(BasicFileAttributes attributes) {
        return new State(attributes.size(), attributes.lastModifiedTime());
    }

    /** Returns where it is. */
    Path folder() {
        return folder;
    }

    /** Returns what was changed since, a line each; what Git keeps for itself is left out. */
    List<String> changes() throws IOException {
        List<String> changes = new ArrayList<>();
        Map<Path, State> missing = new HashMap<>(copied);
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                Path name = folder.relativize(file);
                State before = missing.remove(name);
                if (before == null) {
                    add("added ", name);
                } else if (!before.equals(state(attributes))) {
                    add("changed ", name);
                }
                return FileVisitResult.CONTINUE;
            }

            private void add(String what, Path name) {
                if (!name.startsWith(".git")) {
                    changes.add(what + name);
                }
            }
        });
        missing.keySet().stream()
                .filter(name -> !name.startsWith(".git"))
                .forEach(name -> changes.add("deleted " + name));
        changes.sort(null);
        return changes;
    }

    /** Deletes it. */
    void delete() throws IOException {
        delete(folder);
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                if (failure != null) {
                    throw failure;
                }
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
