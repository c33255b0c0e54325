package dev.acp4j.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The real paths of the folders that an agent may use, and the judgement whether a path leads into one of them. */
final class Roots {
    private final List<Path> given;
    private final List<Path> real;

    private Roots(List<Path> given, List<Path> real) {
        this.given = List.copyOf(given);
        this.real = List.copyOf(real);
    }

    /** Resolves the roots once: a root that is exchanged for a link later leads outside. */
    static Roots of(List<Path> given) {
        List<Path> real = new ArrayList<>();
        for (Path root : given) {
            real.add(realFolder(root));
        }
        // A root inside another one could be exchanged from within that one, so only the outermost count.
        real.removeIf(inner -> real.stream().anyMatch(outer -> !inner.equals(outer) && inner.startsWith(outer)));
        return new Roots(given, real);
    }

    private static Path realFolder(Path root) {
        if (!root.isAbsolute()) {
            throw new IllegalArgumentException("a root must be an absolute path, not " + root);
        }
        try {
            Path real = root.toRealPath();
            if (Files.isDirectory(real, LinkOption.NOFOLLOW_LINKS)) {
                return real;
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
     * Finds out where a path leads now. Whatever lies outside gives the same answer, so that nobody learns from it what
     * there is.
     *
     * @throws WorkspaceException when that is not surely inside a root
     */
    Place locate(Path path) {
        if (!path.isAbsolute()) {
            throw new WorkspaceException.InvalidArgument("the path must be absolute, not " + path);
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
        for (Path root : real) {
            if (target.startsWith(root)) {
                return Place.of(path, root, target, List.copyOf(missing));
            }
        }
        throw outside(path, null);
    }

    private Path resolve(Path path, Path existing) {
        try {
            return existing.toRealPath();
        } catch (IOException e) {
            // A dangling link, a circle of links, a folder that may not be entered.
            throw outside(path, e);
        }
    }

    private WorkspaceException outside(Path path, @Nullable IOException cause) {
        String where = cause == null ? "lies outside the folders of this session: " : "cannot be followed into ";
        return new WorkspaceException.OutsideRoots(path, where + given, cause);
    }
}
