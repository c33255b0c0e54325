package dev.acp4j.agent;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The folders of a checkout and of its Git data. They are found without running {@code git}, because it would read the
 * configuration of the checkout, which is not trusted and can name programs to start.
 *
 * @param top the folder that holds {@code .git}
 * @param data its {@code .git} folder, or the one that a linked worktree or a submodule names in a file
 * @param shared the folder shared by all worktrees of a repository; usually the same as {@code data}
 */
record GitCheckout(Path top, Path data, Path shared) {
    private static final long LONGEST_FILE = 64 << 10;

    /** Returns the innermost checkout around {@code folder}, null when there is none. */
    static @Nullable GitCheckout around(Path folder) {
        for (Path top = folder; top != null; top = top.getParent()) {
            Path data = dataOf(top.resolve(".git"));
            if (data != null) {
                Path shared = pointer(data.resolve("commondir"), "");
                return new GitCheckout(top, data, shared == null ? data : shared);
            }
        }
        return null;
    }

    private static @Nullable Path dataOf(Path dotGit) {
        Path data = Files.isDirectory(dotGit) ? dotGit : pointer(dotGit, "gitdir:");
        return data != null && Files.isRegularFile(data.resolve("HEAD")) ? data : null;
    }

    /** Returns the path that a small file holds behind {@code prefix}. */
    private static @Nullable Path pointer(Path file, String prefix) {
        String text = textOf(file);
        if (text == null || !text.startsWith(prefix)) {
            return null;
        }
        try {
            return file.resolveSibling(text.substring(prefix.length()).strip()).normalize();
        } catch (InvalidPathException e) {
            return null;
        }
    }

    /** Opens small regular files only: a pipe would block forever. */
    private static @Nullable String textOf(Path file) {
        try {
            return Files.isRegularFile(file) && Files.size(file) <= LONGEST_FILE ? Files.readString(file) : null;
        } catch (IOException e) {
            return null;
        }
    }

    Path index() {
        return data.resolve("index");
    }

    Path excludes() {
        return shared.resolve("info").resolve("exclude");
    }

    Path objects() {
        return shared.resolve("objects");
    }

    /** Whether names of objects are SHA-256; the index cannot be read without knowing that, and does not say it. */
    boolean isSha256() {
        String config = textOf(shared.resolve("config"));
        for (String line : config == null ? new String[0] : config.split("\n", -1)) {
            String setting = line.toLowerCase(Locale.ROOT).replaceAll("[\\s\"]", "");
            if (setting.startsWith("objectformat=sha256")) {
                return true;
            }
        }
        return false;
    }

    /** Whether the file system takes small and capital letters for the same, which decides what a pattern matches. */
    boolean ignoresCase() {
        return Files.exists(top.resolve(".GIT"));
    }
}
