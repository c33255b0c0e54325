package dev.acp4j.workspace;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The target of a path at one moment.
 *
 * @param asked the requested path
 * @param root the root it lies in
 * @param existing the names that lead from the root to the deepest part that exists, all links resolved
 * @param missing the names after it, none of which exists
 */
record Place(Path asked, Root root, List<Path> existing, List<Path> missing) {
    static Place of(Path asked, Root root, Path real, List<Path> missing) {
        List<Path> existing = new ArrayList<>();
        if (!real.equals(root.path())) {
            root.path().relativize(real).forEach(existing::add);
        }
        return new Place(asked, root, existing, missing);
    }

    boolean exists() {
        return missing.isEmpty();
    }

    boolean isRoot() {
        return existing.isEmpty() && missing.isEmpty();
    }

    /** Returns the name in its folder; not for a root. */
    Path name() {
        return missing.isEmpty() ? existing.getLast() : missing.getLast();
    }

    /** Returns the existing folders between the root and the name. */
    List<Path> folders() {
        return missing.isEmpty() ? existing.subList(0, existing.size() - 1) : existing;
    }

    /** Returns the folders that must be created before the name. */
    List<Path> missingFolders() {
        return missing.isEmpty() ? Collections.emptyList() : missing.subList(0, missing.size() - 1);
    }

    /** Returns the real path, including the parts that do not exist yet. */
    Path realPath() {
        Path path = root.path();
        for (Path name : names()) {
            path = path.resolve(name);
        }
        return path;
    }

    /** Returns whether both lead to the same target, even if a different part of it exists now. */
    boolean isSame(Place other) {
        return root.equals(other.root) && names().equals(other.names());
    }

    private List<Path> names() {
        List<Path> names = new ArrayList<>(existing);
        names.addAll(missing);
        return names;
    }
}
