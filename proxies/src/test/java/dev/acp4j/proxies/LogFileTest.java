package dev.acp4j.proxies;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class LogFileTest {
    private static final int MOST = 200;
    private static final byte[] LINE = ("0123456789".repeat(4) + "\n").getBytes(StandardCharsets.UTF_8);

    @TempDir
    private Path folder;

    @Test
    void aFileThatIsRenamedWhileAnotherOneOpensItIsNotRenamedBeforeItIsFull() throws Exception {
        Path file = folder.resolve("log");
        AtomicBoolean isOver = new AtomicBoolean();
        FutureTask<Void> other = new FutureTask<>(() -> {
            try (LogFile log = new LogFile(file, MOST)) {
                while (!isOver.get()) {
                    log.append(LINE);
                }
            }
            return null;
        });
        Thread.ofPlatform().start(other);

        try {
            for (int i = 0; i < 10_000; i++) {
                try (LogFile log = new LogFile(file, MOST)) {
                    log.append(LINE);
                }
                assertThat(sizeOf(folder.resolve("log.1"))).isGreaterThanOrEqualTo(MOST);
            }
        } finally {
            isOver.set(true);
            other.get();
        }
    }

    private static long sizeOf(Path full) throws IOException {
        try {
            return Files.size(full);
        } catch (NoSuchFileException e) {
            // The one before is deleted first.
            return MOST;
        }
    }

    @Test
    @Tag("RMP-18")
    void severalProgramsWriteWholeLinesIntoOneFile() throws Exception {
        Path file = folder.resolve("log");
        List<Process> programs = List.of(program(file, "a"), program(file, "b"));

        for (Process program : programs) {
            assertThat(program.waitFor()).isZero();
        }

        List<String> lines = Files.readAllLines(file);
        assertThat(lines).hasSize(2 * Writer.LINES).allMatch(line -> line.matches("a{80}|b{80}"));
    }

    private static Process program(Path file, String letter) throws Exception {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        Writer.class.getName(),
                        file.toString(),
                        letter)
                .inheritIO()
                .start();
    }

    /** A program that writes lines of a letter. */
    static final class Writer {
        static final int LINES = 2000;

        private Writer() {}

        public static void main(String[] args) throws Exception {
            byte[] line = (args[1].repeat(80) + "\n").getBytes(StandardCharsets.UTF_8);
            try (LogFile log = new LogFile(Path.of(args[0]), Long.MAX_VALUE)) {
                for (int i = 0; i < LINES; i++) {
                    log.append(line);
                }
            }
        }
    }
}
