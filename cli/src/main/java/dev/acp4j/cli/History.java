package dev.acp4j.cli;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Where the lines typed in chats are kept. */
final class History {
    private History() {}

    /** Returns the file, which nobody else may read; null if there can be none. */
    static @Nullable Path file() {
        try {
            Path file =
                    folder(System.getenv(), System.getProperty("user.home", "")).resolve("history");
            Files.createDirectories(file.getParent());
            create(file);
            return file;
        } catch (IOException | RuntimeException e) {
            // A chat without a memory is better than none.
            return null;
        }
    }

    /** Returns the folder by the rules of the XDG base directories: a path that is not absolute is ignored. */
    static Path folder(Map<String, String> environment, String home) {
        String state = environment.get("XDG_STATE_HOME");
        Path base = state != null && state.startsWith("/") ? Path.of(state) : Path.of(home, ".local", "state");
        return base.resolve("acp");
    }

    private static void create(Path file) throws IOException {
        try {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        } catch (FileAlreadyExistsException e) {
            // From an earlier chat.
        } catch (UnsupportedOperationException e) {
            Files.createFile(file);
        }
    }
}
