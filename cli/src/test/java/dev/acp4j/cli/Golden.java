package dev.acp4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Texts that output is compared with. {@code -Dupdate=true} writes what came out. */
public final class Golden {
    private Golden() {}

    public static void check(String name, String actual) {
        if (Boolean.getBoolean("update")) {
            write(name, actual);
        }
        assertThat(actual).as(name).isEqualTo(read(name));
    }

    public static String read(String name) {
        try (InputStream in = Golden.class.getResourceAsStream(name)) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void write(String name, String text) {
        try {
            for (String root : List.of("src/test/resources", "target/test-classes")) {
                Path file = Path.of(root, "dev/acp4j/cli", name);
                Files.createDirectories(file.getParent());
                Files.writeString(file, text);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
