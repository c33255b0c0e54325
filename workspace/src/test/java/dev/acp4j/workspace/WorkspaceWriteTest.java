package dev.acp4j.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Way.class)
@Timeout(60)
class WorkspaceWriteTest {
    private final Way way;

    @TempDir
    Path root;

    private Workspace workspace;

    WorkspaceWriteTest(Way way) {
        this.way = way;
    }

    @BeforeEach
    void open() {
        workspace = way.workspace(root);
    }

    @Test
    @Tag("CBK-14")
    void fileIsCreatedWithItsFolders() throws Exception {
        Path file = root.resolve("a").resolve("b").resolve("c.txt");

        workspace.writeText(file, "\uFEFFß\r\n");
        workspace.writeText(root.resolve("top.txt"), "");
        workspace.writeText(root.resolve("a").resolve("d").resolve("e.txt"), "e");

        assertThat(file).hasContent("\uFEFFß\r\n");
        assertThat(Files.size(file)).isEqualTo(7);
        assertThat(names()).containsExactly("a", "a/b", "a/b/c.txt", "a/d", "a/d/e.txt", "top.txt");
    }

    @Test
    void contentIsReplacedWhole() throws Exception {
        Path file = Files.writeString(root.resolve("a.txt"), "something longer");

        workspace.writeText(file, "short");

        assertThat(file).hasContent("short");
        assertThat(names()).containsExactly("a.txt");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void permissionsAreKept() throws Exception {
        for (String permissions : List.of("rwxr-x---", "rw-------", "rw-rw-rw-", "rwxrwxrwx")) {
            Path file = Files.writeString(root.resolve("script"), "old");
            Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));

            workspace.writeText(file, "new");

            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                    .isEqualTo(permissions);
        }
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void newFileHasThePermissionsOfAnyOther() throws Exception {
        Path other = Files.createFile(root.resolve("other"));
        Path otherFolder = Files.createDirectory(root.resolve("otherFolder"));
        Path file = root.resolve("folder").resolve("file");

        workspace.writeText(file, "new");

        assertThat(Files.getPosixFilePermissions(file)).isEqualTo(Files.getPosixFilePermissions(other));
        assertThat(Files.getPosixFilePermissions(root.resolve("folder")))
                .isEqualTo(Files.getPosixFilePermissions(otherFolder));
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void otherNamesOfTheFileKeepTheOldContent() throws Exception {
        Path file = Files.writeString(root.resolve("a.txt"), "old");
        Path link = Files.createLink(root.resolve("hard"), file);

        workspace.writeText(link, "new");

        assertThat(link).hasContent("new");
        assertThat(file).hasContent("old");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void linkInsideStaysALink() throws Exception {
        Path file = Files.writeString(root.resolve("real.txt"), "old");
        Path link = Files.createSymbolicLink(root.resolve("link.txt"), Path.of("real.txt"));

        workspace.writeText(link, "new");

        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
    }

    @Test
    void halfACharacterIsRefusedAndNothingTouched() throws Exception {
        Path file = Files.writeString(root.resolve("a.txt"), "old");

        assertThatExceptionOfType(WorkspaceException.NotText.class)
                .isThrownBy(() -> workspace.writeText(file, "new \ud83d text"))
                .withMessageContaining("an unpaired surrogate");
        assertThat(file).hasContent("old");
    }

    @Test
    void textOverTheLimitIsRefused() {
        assertThatExceptionOfType(WorkspaceException.TooLarge.class)
                .isThrownBy(() -> workspace.withMaxBytes(3).writeText(root.resolve("a"), "€€"));
        assertThat(names()).isEmpty();
    }

    @Test
    void foldersAreNotOverwritten() throws Exception {
        Path folder = Files.createDirectory(root.resolve("folder"));

        for (Path path : List.of(folder, root)) {
            assertThatExceptionOfType(WorkspaceException.WrongKind.class)
                    .isThrownBy(() -> workspace.writeText(path, "x"));
        }
        assertThat(names()).containsExactly("folder");
    }

    @Test
    void filesDoNotBecomeFolders() throws Exception {
        Path file = Files.writeString(root.resolve("file"), "x");

        assertThatExceptionOfType(WorkspaceException.Failed.class)
                .isThrownBy(() -> workspace.writeText(file.resolve("a").resolve("b"), "x"))
                .withMessageStartingWith("cannot write " + file.resolve("a").resolve("b") + ": ");
        assertThat(names()).containsExactly("file");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void pipesAreNotReplaced() throws Exception {
        Path pipe = root.resolve("pipe");
        new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor(10, TimeUnit.SECONDS);

        assertThatExceptionOfType(WorkspaceException.WrongKind.class).isThrownBy(() -> workspace.writeText(pipe, "x"));
        assertThat(names()).containsExactly("pipe");
    }

    @Test
    void interruptedThreadWritesNothing() throws Exception {
        Path file = Files.writeString(root.resolve("a.txt"), "old");

        Thread.currentThread().interrupt();

        assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> workspace.writeText(file, "new"));
        assertThat(Thread.interrupted()).isFalse();
        assertThat(file).hasContent("old");
        assertThat(names()).containsExactly("a.txt");
    }

    @Test
    @DisabledOnOs(OS.WINDOWS)
    void readersSeeTheOldContentOrTheNewNeverAPart() throws Exception {
        Path file = root.resolve("a.txt");
        String first = "a".repeat(300_000);
        String second = "b".repeat(300_000);
        workspace.writeText(file, first);
        Thread writer = Thread.ofPlatform().start(() -> writeAlternately(file, first, second, 100));

        while (writer.isAlive()) {
            assertThat(workspace.readText(file).equals(first)
                            || workspace.readText(file).length() == 300_000)
                    .isTrue();
        }

        writer.join();
        assertThat(names()).containsExactly("a.txt");
    }

    private void writeAlternately(Path file, String first, String second, int times) {
        try {
            for (int i = 0; i < times; i++) {
                workspace.writeText(file, i % 2 == 0 ? second : first);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private List<String> names() {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(path -> !path.equals(root) && Files.exists(path, LinkOption.NOFOLLOW_LINKS))
                    .map(path -> root.relativize(path).toString().replace('\\', '/'))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
