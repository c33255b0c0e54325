package dev.acp4j.cli.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The default folder for traces. */
public final class TraceFolder {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    private TraceFolder() {}

    /**
     * Returns the file for a new trace.
     *
     * @param wanted a file, a folder for the new file, or null for the default folder, readable by the user only
     */
    public static Path file(@Nullable String wanted) throws IOException {
        if (wanted == null) {
            return Files.createDirectories(folder(), StateFolder.attributes(folder(), "rwx------"))
                    .resolve(name());
        }
        try {
            Path path = Path.of(wanted).toAbsolutePath();
            return Files.isDirectory(path) ? path.resolve(name()) : path;
        } catch (InvalidPathException e) {
            throw new IOException("not the name of a file: " + wanted, e);
        }
    }

    /** Returns the folder, which may not exist. */
    public static Path folder() {
        return StateFolder.path().resolve("traces");
    }

    private static String name() {
        return "acp-" + TIME.format(LocalDateTime.now(ZoneId.systemDefault())) + "-"
                + ProcessHandle.current().pid() + ".trace.jsonl";
    }
}
