package dev.acp4j.agent;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The folders of a session: their files and the index, which is created on first use.
 *
 * <p>The lock guards its creation.
 */
final class Workspace {
    private final WorkspaceFiles files;
    private final ReentrantLock lock = new ReentrantLock();

    @GuardedBy("lock")
    private @Nullable WorkspaceIndex index;

    Workspace(List<Path> roots) {
        this.files = new WorkspaceFiles(roots);
    }

    WorkspaceFiles files() {
        return files;
    }

    Path workingDirectory() {
        return files.workingDirectory();
    }

    /** Returns the index. The first call loads the search library, which takes a moment. */
    WorkspaceIndex index() {
        lock.lock();
        try {
            WorkspaceIndex current = index;
            if (current == null) {
                current = new WorkspaceIndex(files);
                index = current;
            }
            return current;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the file that {@code name} names: relative to the working directory or absolute; null when there is no
     * such file inside the workspace.
     */
    @Nullable
    WorkspaceFile file(String name) {
        try {
            Path path = workingDirectory().resolve(name).normalize();
            return isInside(path) && Files.isRegularFile(path) ? describe(path) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Returns the name of the folder that {@code name} names; null when there is no such folder in the workspace. */
    @Nullable
    String folder(String name) {
        try {
            Path path = workingDirectory().resolve(name).normalize();
            return isInside(path) && Files.isDirectory(path) ? files.nameOf(path) : null;
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Says why there are no files, for a workspace that has none. */
    String whyEmpty() throws IOException {
        try (Stream<Path> entries = Files.list(workingDirectory())) {
            return entries.findAny().isEmpty()
                    ? "This folder is empty."
                    : "This folder has no files, except what Git ignores or tools generate.";
        }
    }

    /** Whether {@code path} lies in one of the folders, links resolved. */
    boolean isInside(Path path) {
        try {
            Path real = path.toRealPath();
            for (Path root : files.roots()) {
                if (real.startsWith(root.toRealPath())) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            return false; // a path that cannot be resolved is not trusted
        }
    }

    private @Nullable WorkspaceFile describe(Path path) {
        try {
            return new WorkspaceFile(
                    path,
                    files.nameOf(path),
                    Files.size(path),
                    Files.getLastModifiedTime(path).toMillis());
        } catch (IOException e) {
            return null;
        }
    }

    /**
     * Returns the outermost file that people call {@code name}, as "the readme"; null if there is none, or are several.
     */
    @Nullable
    WorkspaceFile called(String name) throws InterruptedException, IOException {
        String wanted = name.toLowerCase(Locale.ROOT);
        List<WorkspaceFile> found = new ArrayList<>();
        for (WorkspaceFile file : files.list().files()) {
            String fileName = file.fileName().toLowerCase(Locale.ROOT);
            if (fileName.equals(wanted) || fileName.startsWith(wanted + ".")) {
                found.add(file);
            }
        }
        found.sort(Comparator.comparingInt(Workspace::depth));
        boolean clear = found.size() == 1 || (found.size() > 1 && depth(found.get(0)) < depth(found.get(1)));
        return clear ? found.getFirst() : null;
    }

    private static int depth(WorkspaceFile file) {
        return (int) file.name().chars().filter(c -> c == '/').count();
    }

    /** Returns files whose name ends in or resembles {@code name}, the closest first. */
    List<WorkspaceFile> similar(String name, int limit) throws InterruptedException, IOException {
        String wanted = name.toLowerCase(Locale.ROOT);
        List<WorkspaceFile> found = new ArrayList<>();
        for (WorkspaceFile file : files.list().files()) {
            if (likeness(file, wanted) < Integer.MAX_VALUE) {
                found.add(file);
            }
        }
        found.sort(Comparator.comparingInt((WorkspaceFile file) -> likeness(file, wanted))
                .thenComparingInt(file -> file.name().length()));
        return found.subList(0, Math.min(limit, found.size()));
    }

    /** 0: the end of the path; 1: the file name without its extension; 2: a part of the file name. */
    private static int likeness(WorkspaceFile file, String wanted) {
        String name = file.name().toLowerCase(Locale.ROOT);
        String fileName = file.fileName().toLowerCase(Locale.ROOT);
        if (("/" + name).endsWith("/" + wanted)) {
            return 0;
        }
        if (fileName.startsWith(wanted + ".")) {
            return 1;
        }
        return fileName.contains(wanted) ? 2 : Integer.MAX_VALUE;
    }
}
