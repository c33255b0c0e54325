package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Way.class)
@Timeout(60)
class WorkspaceReadTest {
    private final Way way;

    @TempDir
    Path root;

    private Workspace workspace;

    WorkspaceReadTest(Way way) {
        this.way = way;
    }

    @BeforeEach
    void open() {
        workspace = way.workspace(root);
    }

    @Test
    void byteOrderMarkAndEndsOfLineStayAsTheyAre() throws Exception {
        String text = "\uFEFFone\r\ntwo\nthree\rß€😀";
        Path file = write("a.txt", text);

        assertThat(workspace.readText(file)).isEqualTo(text);
    }

    @ParameterizedTest
    @Tag("CBK-14")
    @CsvSource(
            nullValues = "null",
            value = {
                "null, null, 1|2|3|",
                "1, null, 1|2|3|",
                "0, 1, 1|",
                "1, 1, 1|",
                "2, 1, 2|",
                "2, 2, 2|3|",
                "2, 100, 2|3|",
                "null, 2, 1|2|",
                "3, null, 3|",
                "2, 0, ''",
                "4, null, ''",
                "4294967295, 4294967295, ''",
            })
    void linesAreCountedFromOneAndKeepTheirEnds(Long line, Long limit, String expected) throws Exception {
        Path file = write("lines.txt", "1\n2\n3\n");

        String text = workspace.readText(file, line, limit);

        assertThat(text).isEqualTo(expected.replace('|', '\n'));
    }

    @Test
    @Tag("CBK-14")
    void lastLineNeedsNoEnd() throws Exception {
        Path file = write("lines.txt", "1\r\n2");

        assertThat(workspace.readText(file, 2L, 1L)).isEqualTo("2");
        assertThat(workspace.readText(file, 1L, 1L)).isEqualTo("1\r\n");
        assertThat(workspace.readText(write("empty", ""), 1L, 1L)).isEmpty();
    }

    @Test
    void linesLongerThanWhatIsReadAtOnceStayWhole() throws Exception {
        String longLine = "ß".repeat(100_000) + "\n";
        Path file = write("long.txt", longLine + "x\n" + longLine + "y");

        assertThat(workspace.readText(file, 3L, 1L)).isEqualTo(longLine);
        assertThat(workspace.readText(file, 2L, 1L)).isEqualTo("x\n");
        assertThat(workspace.readText(file, 4L, null)).isEqualTo("y");
    }

    @Test
    void negativeNumbersAreRefused() throws Exception {
        Path file = write("a.txt", "a");

        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> workspace.readText(file, -1L, null))
                .withMessage("line must not be negative, got -1");
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> workspace.readText(file, null, -5L))
                .withMessage("limit must not be negative, got -5");
    }

    @Test
    @Tag("CBK-14")
    void missingFileIsNotFound() {
        Path missing = root.resolve("no").resolve("such");

        assertThatExceptionOfType(WorkspaceException.NotFound.class)
                .isThrownBy(() -> workspace.readText(missing))
                .withMessage(missing + " does not exist");
    }

    @Test
    void nothingIsFoundBehindAFile() throws Exception {
        Path file = write("file", "x");

        assertThatExceptionOfType(WorkspaceException.NotFound.class)
                .isThrownBy(() -> workspace.readText(file.resolve("inner")));
    }

    @Test
    @Tag("CBK-14")
    void relativePathIsRefused() {
        assertThatExceptionOfType(WorkspaceException.InvalidArgument.class)
                .isThrownBy(() -> workspace.readText(Path.of("pom.xml")))
                .withMessage("the path must be absolute, got pom.xml");
    }

    @Test
    void limitIsOnWhatIsReturned() throws Exception {
        Workspace small = workspace.withMaxBytes(4);
        Path fits = write("fits", "1234");
        Path large = write("large", "123\n567\n");

        assertThat(small.readText(fits)).isEqualTo("1234");
        assertThat(small.readText(large, 2L, 1L)).isEqualTo("567\n");
        assertThatExceptionOfType(WorkspaceException.TooLarge.class)
                .isThrownBy(() -> small.readText(large))
                .withMessage(large + " has more than 4 bytes; request a part of it by line and limit");
        assertThatExceptionOfType(WorkspaceException.TooLarge.class)
                .isThrownBy(() -> small.withMaxBytes(0).readText(fits));
    }

    @Test
    void bytesThatAreNotUtf8AreReportedNotReplaced() throws Exception {
        Path file = root.resolve("latin1.txt");
        Files.writeString(file, "eins\nzwölf\n", StandardCharsets.ISO_8859_1);

        assertThatExceptionOfType(WorkspaceException.NotText.class)
                .isThrownBy(() -> workspace.readText(file))
                .withMessage(file + " is not UTF-8 text: byte 0xf6 at offset 7, line 2 of the bytes read");
        assertThat(workspace.readText(file, 1L, 1L)).isEqualTo("eins\n");
    }

    @Test
    void characterCutOffAtTheEndOfTheFileIsReported() throws Exception {
        byte[] euro = "€".getBytes(StandardCharsets.UTF_8);
        Path file = Files.write(root.resolve("cut"), new byte[] {'a', euro[0], euro[1]});

        assertThatExceptionOfType(WorkspaceException.NotText.class)
                .isThrownBy(() -> workspace.readText(file))
                .withMessageContaining("byte 0xe2 at offset 1");
    }

    @Test
    void foldersAreNotFiles() throws Exception {
        Path folder = Files.createDirectory(root.resolve("folder"));

        for (Path path : new Path[] {folder, root}) {
            assertThatExceptionOfType(WorkspaceException.WrongKind.class)
                    .isThrownBy(() -> workspace.readText(path))
                    .withMessage(path + " is a folder, not a file");
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void pipesAndDevicesAreRefusedWithoutWaitingForThem() throws Exception {
        Path pipe = root.resolve("pipe");
        new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(10, TimeUnit.SECONDS);

        assertThatExceptionOfType(WorkspaceException.WrongKind.class)
                .isThrownBy(() -> workspace.readText(pipe))
                .withMessage(pipe + " is not a regular file but a pipe, a socket or a device");
        assertThatExceptionOfType(WorkspaceException.WrongKind.class)
                .isThrownBy(() -> way.workspace(Path.of("/dev")).readText(Path.of("/dev/zero")));
    }

    @Test
    void interruptedThreadStopsReading() throws Exception {
        Path file = write("a.txt", "a");

        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> workspace.readText(file));
        assertThat(Thread.interrupted()).isFalse();
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(root.resolve(name), text);
    }
}
