package dev.acp4j.cli.chat;

import dev.acp4j.cli.command.StateFolder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The file of the input history of chats. */
final class History {
    private History() {}

    /** Returns the file, readable by its owner only; null if it cannot be created. */
    static @Nullable Path file() {
        try {
            Path file = StateFolder.path().resolve("history");
            Files.createDirectories(file.getParent());
            create(file);
            return file;
        } catch (IOException | RuntimeException e) {
            // A chat without history is better than no chat.
            return null;
        }
    }

    private static void create(Path file) throws IOException {
        try {
            Files.createFile(file, StateFolder.ofUser(file));
        } catch (FileAlreadyExistsException e) {
            // From an earlier chat.
        }
    }
}
