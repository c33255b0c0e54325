package dev.acp4j.cli.chat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The names of files that complete a mention: those in the folder that was typed and, if none was typed, also those
 * anywhere below the folder of the session whose name begins with the text.
 */
final class FileNames {
    private static final int MOST = 100;
    /** A larger tree is not searched to its end: the user waits. */
    private static final int MOST_VISITED = 20_000;

    private static final int DEEPEST = 16;

    /** Folders of what tools write, beside hidden ones. */
    private static final Set<String> SKIPPED =
            Set.of("node_modules", "target", "build", "dist", "out", "__pycache__", "vendor");

    private FileNames() {}

    /**
     * Returns the paths that begin with a text, or whose name does, in order; folders end with a slash.
     *
     * @param begun the beginning of a path, as it was typed
     */
    static List<String> of(Path folder, String begun) {
        int slash = begun.lastIndexOf('/');
        String parent = begun.substring(0, slash + 1);
        String name = begun.substring(slash + 1).toLowerCase(Locale.ROOT);
        Path from = parent.isEmpty() ? folder : Mentions.there(parent, folder);
        Set<String> names = new TreeSet<>();
        if (from != null) {
            list(from, parent, name, names);
        }
        if (parent.isEmpty() && name.length() > 1) {
            search(folder, name, names);
        }
        return List.copyOf(names);
    }

    private static void list(Path folder, String parent, String name, Set<String> names) {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (Path file : files) {
                String found = String.valueOf(file.getFileName());
                boolean isHidden = found.startsWith(".") && !name.startsWith(".");
                if (!isHidden && !found.equals(".git") && begins(found, name) && names.size() < MOST) {
                    names.add(parent + found + (Files.isDirectory(file) ? "/" : ""));
                }
            }
        } catch (IOException e) {
            // A folder that cannot be read has no names to offer.
        }
    }

    private static void search(Path folder, String name, Set<String> names) {
        List<Path> found = new ArrayList<>();
        try {
            Path unused = Files.walkFileTree(folder, Set.of(), DEEPEST, new SimpleFileVisitor<>() {
                private int visited;

                @Override
                public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes) {
                    String found = String.valueOf(dir.getFileName());
                    boolean isSkipped = !dir.equals(folder) && (found.startsWith(".") || SKIPPED.contains(found));
                    return isSkipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    if (begins(String.valueOf(file.getFileName()), name)) {
                        found.add(file);
                    }
                    return goesOn();
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) {
                    return goesOn();
                }

                @Override
                public FileVisitResult postVisitDirectory(Path dir, @Nullable IOException e) {
                    return goesOn();
                }

                private FileVisitResult goesOn() {
                    return ++visited >= MOST_VISITED || found.size() >= MOST
                            ? FileVisitResult.TERMINATE
                            : FileVisitResult.CONTINUE;
                }
            });
        } catch (IOException e) {
            // What was found so far is offered.
        }
        for (Path file : found) {
            names.add(folder.relativize(file).toString());
        }
    }

    private static boolean begins(String found, String name) {
        return found.toLowerCase(Locale.ROOT).startsWith(name);
    }
}
