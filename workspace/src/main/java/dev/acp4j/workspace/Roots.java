package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The real paths of the folders that an agent may use, and the check whether a path leads into one of them. */
final class Roots {
    /**
     * The maximum size in bytes of a path that Linux opens: PATH_MAX less the terminator. A longer path could be
     * written folder by folder, but not read again.
     */
    static final int MAX_PATH_BYTES = 4095;

    private final List<Path> given;
    private final List<Root> real;

    private Roots(List<Path> given, List<Root> real) {
        this.given = List.copyOf(given);
        this.real = List.copyOf(real);
    }

    /** Resolves the roots once: a root replaced by a link later is outside. */
    static Roots of(List<Path> given) {
        List<Root> real = new ArrayList<>();
        for (Path root : given) {
            real.add(realFolder(root));
        }
        // A root inside another one could be replaced from within that one, so only the outermost count.
        real.removeIf(inner -> real.stream()
                .anyMatch(outer ->
                        !inner.path().equals(outer.path()) && inner.path().startsWith(outer.path())));
        return new Roots(given, real);
    }

    private static Root realFolder(Path root) {
        String excess = excess(root.toString());
        if (excess != null) {
            throw new IllegalArgumentException("a root is too long: " + excess);
        }
        if (!root.isAbsolute()) {
            throw new IllegalArgumentException("a root must be an absolute path, got " + root);
        }
        try {
            Path real = root.toRealPath();
            BasicFileAttributes found =
                    Files.readAttributes(real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (found.isDirectory()) {
                return new Root(real, found.fileKey());
            }
            throw new IllegalArgumentException("the root " + root + " is not a folder");
        } catch (IOException e) {
            throw new IllegalArgumentException("the root " + root + " does not exist or cannot be reached", e);
        }
    }

    List<Path> given() {
        return given;
    }

    /**
     * Resolves a path. Every target outside gives the same answer, so that it reveals nothing about existing files.
     *
     * @throws WorkspaceException if the target is not certainly inside a root
     */
    Place locate(Path path) {
        requireLength(path.toString());
        if (!path.isAbsolute()) {
            throw new WorkspaceException.InvalidArgument("the path must be absolute, got " + path);
        }
        Deque<Path> missing = new ArrayDeque<>();
        Path existing = path.normalize();
        while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS)) {
            Path parent = existing.getParent();
            if (parent == null) {
                throw outside(path, null);
            }
            missing.addFirst(existing.getFileName());
            existing = parent;
        }
        Path target = resolve(path, existing);
        for (Root root : real) {
            if (target.startsWith(root.path())) {
                Place place = Place.of(path, root, target, List.copyOf(missing));
                requireLength(place.realPath().toString());
                return place;
            }
        }
        throw outside(path, null);
    }

    /** Rejects a path that is too long before any use, also in messages: it may have megabytes. */
    static void requireLength(String path) {
        String excess = excess(path);
        if (excess != null) {
            throw new WorkspaceException.InvalidArgument("the path is too long: " + excess);
        }
    }

    private static @Nullable String excess(String path) {
        int bytes = path.getBytes(StandardCharsets.UTF_8).length;
        return bytes <= MAX_PATH_BYTES ? null : "it has " + bytes + " bytes, and the limit is " + MAX_PATH_BYTES;
    }

    private Path resolve(Path path, Path existing) {
        try {
            return existing.toRealPath();
        } catch (IOException e) {
            // A dangling link, a cycle of links, a folder without permission.
            throw outside(path, e);
        }
    }

    private WorkspaceException outside(Path path, @Nullable IOException cause) {
        String where = cause == null ? "is outside the folders of this session: " : "cannot be followed into ";
        return new WorkspaceException.OutsideRoots(path, where + given, cause);
    }
}
